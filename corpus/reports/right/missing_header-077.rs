use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, ResponseError};

#[derive(Debug, thiserror::Error)]
pub enum MintError {
    #[error("rate limited, try again in {0} seconds")]
    Limited(u64),
}

impl ResponseError for MintError {
    fn status_code(&self) -> StatusCode {
        match self {
            MintError::Limited(_) => StatusCode::TOO_MANY_REQUESTS,
        }
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status_code());
        match self {
            MintError::Limited(seconds) => {
                response.insert_header((header::RETRY_AFTER, seconds.to_string()));
            }
        }
        response.body(self.to_string())
    }
}
