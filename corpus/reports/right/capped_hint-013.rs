const MAX_DELAY_MS: u64 = 30_000;
const MAX_RETRY_AFTER_MS: u64 = 600_000;

/// The server asks for more patience than there is.
#[derive(Debug, PartialEq, Eq)]
pub struct TooLong {
    pub retry_after_ms: u64,
}

pub fn backoff_ms(attempt: u32, retry_after_ms: Option<u64>) -> Result<u64, TooLong> {
    let own = 1000u64.saturating_mul(1 << attempt.min(20)).min(MAX_DELAY_MS);
    match retry_after_ms {
        Some(retry_after_ms) if retry_after_ms > MAX_RETRY_AFTER_MS => Err(TooLong { retry_after_ms }),
        Some(retry_after_ms) => Ok(retry_after_ms.max(own)),
        None => Ok(own),
    }
}
