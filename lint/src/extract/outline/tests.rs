//! Cuts of small functions.

use super::*;

/// The cut of a function at the first place that names the header, in one line.
fn cut_of(text: &str) -> Result<String, String> {
    let read = text.find("RETRY_AFTER").expect("a read");
    let cut = cut(text, read, None).map_err(|problem| format!("{}: {}", problem.reason.code(), problem.detail))?;
    Ok(cut.text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn what_follows_the_read_stays() {
    let text = "async fn send(&self) -> Result<(), Error> {
        let response = self.client.send().await?;
        if response.status() == 429 {
            let wait = response.headers().get(RETRY_AFTER).and_then(parse).unwrap_or(self.backoff);
            warn!(\"{wait}\");
            let wait = wait.min(60);
            self.count += 1;
            sleep(Duration::from_secs(wait)).await;
        }
        Ok(())
    }";
    assert_eq!(
        cut_of(text).unwrap(),
        "let wait = response.headers().get(RETRY_AFTER).and_then(parse).unwrap_or_else(|| OUTCOMES::own()); \
         let wait = wait.min(60); return OUTCOMES::outcome(Duration::from_secs(wait)); OUTCOMES::Outcome::None"
    );
}

#[test]
fn a_variable_from_above_comes_with_its_definition() {
    let text = "async fn send(&self) {
        let mut wait = Duration::from_millis(500);
        if let Some(value) = response.headers().get(RETRY_AFTER) && let Ok(secs) = number(value) && self.honours && secs < 120 {
            wait = Duration::from_secs(secs);
        }
        sleep(wait).await;
    }";
    assert_eq!(
        cut_of(text).unwrap(),
        "let mut wait = Duration::from_millis(500); if let Some(value) = response.headers().get(RETRY_AFTER) && \
         let Ok(secs) = number(value) && secs < 120 { wait = Duration::from_secs(secs); } \
         return OUTCOMES::outcome(wait); OUTCOMES::Outcome::None"
    );
}

#[test]
fn a_value_of_a_block_is_followed_to_where_it_goes() {
    let text = "fn failure(response: Response) -> Failure {
        let wait = if response.status() == 429 { response.headers().get(RETRY_AFTER)?.parse().ok() } else { None };
        let wait = wait.map(|wait: u64| wait * 2);
        Failure { url, wait }
    }";
    let cut = cut_of(text).unwrap();
    assert!(cut.contains("wait * 2") && cut.ends_with("(wait); OUTCOMES::Outcome::None"), "{cut}");
}

#[test]
fn a_variable_that_begins_within_the_way_stays() {
    // The error's number is the wait here, since nothing else keeps one.
    let text = "async fn report(&self) {
        let header = response.headers().get(RETRY_AFTER).cloned();
        if status.is_server_error() {
            let mut wait = 0;
            if let Some(given) = header.and_then(number) { wait = given; }
            return Err(Error::Backoff(report, wait));
        }
    }";
    assert_eq!(
        cut_of(text).unwrap(),
        "let header = response.headers().get(RETRY_AFTER).cloned(); if true { let mut wait = 0; \
         if let Some(given) = header.and_then(number) { wait = given; } return OUTCOMES::outcome(wait); } OUTCOMES::Outcome::None"
    );
}

#[test]
fn an_errors_number_is_no_second_wait() {
    let text = "fn report(&self) -> Result<(), Error> {
        let mut wait = 0;
        if let Some(given) = headers.get(RETRY_AFTER).and_then(number) { wait = given; self.until = now + seconds(wait); }
        return Err(Error::Backoff(wait));
    }";
    assert!(cut_of(text).unwrap().ends_with("return OUTCOMES::Outcome::None; OUTCOMES::Outcome::None"));
}

#[test]
fn what_something_else_decides_is_not_cut() {
    let text = "async fn wait(&self) {
        let mut wait = number(headers.get(RETRY_AFTER));
        if self.attempt > 3 { wait *= 2; }
        sleep(Duration::from_secs(wait)).await;
    }";
    assert_eq!(cut_of(text).unwrap_err(), "free-variable: a condition on something else changes the value");
}

#[test]
fn what_leaves_a_loop_and_goes_on_is_not_cut() {
    let text = "fn wait() -> u64 { let secs = loop { break number(headers.get(RETRY_AFTER)); }; secs.min(60) }";
    let cut = cut_of(text).unwrap();
    assert!(cut.contains("min(60)"), "{cut}");
}
