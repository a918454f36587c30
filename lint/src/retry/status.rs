//! Statuses: their names, and what a client does with them.

/// The statuses that are walked: one that succeeds, one that no one should repeat, and the two that come with a hint.
pub(super) const CASES: [u16; 4] = [200, 404, 429, 503];

/// The status that a constant of this name stands for.
pub(super) fn named(name: &str) -> Option<u16> {
    Some(match name {
        "OK" => 200,
        "CREATED" => 201,
        "ACCEPTED" => 202,
        "NO_CONTENT" => 204,
        "PARTIAL_CONTENT" => 206,
        "MOVED_PERMANENTLY" => 301,
        "FOUND" => 302,
        "NOT_MODIFIED" => 304,
        "TEMPORARY_REDIRECT" => 307,
        "BAD_REQUEST" => 400,
        "UNAUTHORIZED" => 401,
        "FORBIDDEN" => 403,
        "NOT_FOUND" => 404,
        "METHOD_NOT_ALLOWED" => 405,
        "REQUEST_TIMEOUT" => 408,
        "CONFLICT" => 409,
        "GONE" => 410,
        "PRECONDITION_FAILED" => 412,
        "PAYLOAD_TOO_LARGE" => 413,
        "RANGE_NOT_SATISFIABLE" => 416,
        "UNPROCESSABLE_ENTITY" => 422,
        "LOCKED" => 423,
        "TOO_EARLY" => 425,
        "TOO_MANY_REQUESTS" => 429,
        "INTERNAL_SERVER_ERROR" => 500,
        "NOT_IMPLEMENTED" => 501,
        "BAD_GATEWAY" => 502,
        "SERVICE_UNAVAILABLE" => 503,
        "GATEWAY_TIMEOUT" => 504,
        _ => return None,
    })
}

/// What a method of this name says about a status.
pub(super) fn class(method: &str, status: i128) -> Option<bool> {
    Some(match method {
        "is_success" => (200..300).contains(&status),
        "is_redirection" => (300..400).contains(&status),
        "is_client_error" => (400..500).contains(&status),
        "is_server_error" => (500..600).contains(&status),
        "is_informational" => (100..200).contains(&status),
        _ => return None,
    })
}

/// The constant's name of a variant's: `TOO_MANY_REQUESTS` of `TooManyRequests`.
pub(super) fn constant(variant: &str) -> String {
    let mut name = String::new();
    for c in variant.chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(c.to_uppercase());
    }
    name
}
