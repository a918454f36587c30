//! Clients: what stands for the types of HTTP clients, and for clocks, so that code that names them needs no client to be built.

/// A clock that code reads, by its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clock {
    /// The function in the module of clocks that gives the same type.
    pub(super) function: &'static str,
    /// Its definition.
    pub(super) definition: &'static str,
    /// The crate it needs.
    pub(super) dependency: Option<&'static str>,
}

/// The name of the module that holds the clocks.
pub(super) const CLOCKS: &str = "extracted_clock";
/// The name of the module that stands for an HTTP client.
pub(super) const CLIENT: &str = "extracted_client";
/// The name by which text of our own names the crate `http` that a client has its types from, in a package that is taken whole.
pub(super) const OWN_HTTP: &str = "extracted_http";
/// The name by which it names the runtime there.
pub(super) const OWN_RUNTIME: &str = "extracted_runtime";
/// The name of the module that turns results into outcomes.
pub(super) const OUTCOMES: &str = "extracted_outcome";

/// The clock that a path to an external function reads.
pub(super) fn clock(path: &str) -> Option<Clock> {
    let with = |function, definition, dependency| Some(Clock { function, definition, dependency });
    match path {
        "std::time::SystemTime::now" | "web_time::SystemTime::now" => with("system_time", "", None),
        "std::time::Instant::now" | "tokio::time::Instant::now" | "web_time::Instant::now" | "quanta::Instant::now" => {
            with("instant", "", None)
        }
        "chrono::Utc::now" | "chrono::offset::Utc::now" | "chrono::prelude::Utc::now" => with(
            "chrono_utc",
            "pub fn chrono_utc() -> ::chrono::DateTime<::chrono::Utc> { system_time().into() }",
            Some("chrono"),
        ),
        "chrono::Local::now" | "chrono::offset::Local::now" | "chrono::prelude::Local::now" => with(
            "chrono_local",
            "pub fn chrono_local() -> ::chrono::DateTime<::chrono::Local> { system_time().into() }",
            Some("chrono"),
        ),
        "time::OffsetDateTime::now_utc" => {
            with("time_utc", "pub fn time_utc() -> ::time::OffsetDateTime { system_time().into() }", Some("time"))
        }
        "time::UtcDateTime::now" => with(
            "time_utc_date_time",
            "pub fn time_utc_date_time() -> ::time::UtcDateTime { system_time().into() }",
            Some("time"),
        ),
        "jiff::Timestamp::now" => with(
            "jiff_timestamp",
            "pub fn jiff_timestamp() -> ::jiff::Timestamp { ::jiff::Timestamp::try_from(system_time()).unwrap_or(::jiff::Timestamp::UNIX_EPOCH) }",
            Some("jiff"),
        ),
        "jiff::Zoned::now" => with(
            "jiff_zoned",
            "pub fn jiff_zoned() -> ::jiff::Zoned { ::jiff::Timestamp::try_from(system_time()).unwrap_or(::jiff::Timestamp::UNIX_EPOCH).to_zoned(::jiff::tz::TimeZone::UTC) }",
            Some("jiff"),
        ),
        _ => None,
    }
}

/// The same where the package is taken whole, and types of clocks are what they are.
pub(super) fn clock_in_place(path: &str) -> Option<Clock> {
    match path {
        "tokio::time::Instant::now" => Some(Clock {
            function: "tokio_instant",
            definition: "pub fn tokio_instant() -> ::tokio::time::Instant { ::tokio::time::Instant::from_std(instant()) } \
                impl GivenElapsed for ::tokio::time::Instant { type Output = Duration; \
                fn elapsed_given(&self) -> Duration { instant().saturating_duration_since(self.into_std()) } }",
            dependency: Some("tokio"),
        }),
        _ if path.starts_with("quanta::") => None,
        _ => clock(path),
    }
}

/// What of a client's names is there in the module that stands for it.
const OF_CLIENTS: &[&str] = &[
    "header",
    "HeaderMap",
    "HeaderValue",
    "HeaderName",
    "StatusCode",
    "Method",
    "Version",
    "Response",
    "Request",
    "Uri",
    "http",
    "Error",
    "Body",
    "body",
    "Url",
    "blocking",
    "Client",
    "RequestBuilder",
    "ClientBuilder",
];

/// The crates whose types for headers and answers are those of the crate `http`, or are like them.
const CLIENTS: &[&str] = &["reqwest", "hyper", "axum", "axum_core", "tower_http", "reqwest_middleware"];

/// What an external path is in a copy: a path below the copy's own root, else None.
pub(super) fn stand_in(path: &str) -> Option<String> {
    let (first, rest) = path.split_once("::").unwrap_or((path, ""));
    if let Some(rest) = rest.strip_prefix("http::")
        && matches!(
            first,
            "axum" | "hyper" | "ureq" | "isahc" | "tonic" | "tower_http" | "headers" | "warp" | "poem" | "reqwest"
        )
    {
        return Some(format!("{CLIENT}::http::{rest}"));
    }
    if path == "tokio::time::Instant" {
        return Some(format!("{CLIENT}::Instant"));
    }
    if matches!(first, "axum" | "axum_core") && !rest.starts_with("body") && !rest.starts_with("http") {
        return None;
    }
    if !CLIENTS.contains(&first) {
        return None;
    }
    let second = rest.split("::").next().unwrap_or_default();
    (rest.is_empty() || OF_CLIENTS.contains(&second))
        .then(|| if rest.is_empty() { CLIENT.to_owned() } else { format!("{CLIENT}::{rest}") })
}

/// The module that stands for a client.
pub(super) fn client_module(with_url: bool) -> String {
    let url = if with_url { "pub use ::url::Url;" } else { "" };
    format!(
        "mod {CLIENT} {{
    pub use ::http;
    pub use ::http::header::{{HeaderMap, HeaderName, HeaderValue}};
    pub use ::http::{{header, Method, Request, StatusCode, Uri, Version}};
    pub use ::std::time::Instant;
    {url}
    pub type Body = ::std::vec::Vec<u8>;
    pub type Response<B = Body> = ::http::Response<B>;
    pub struct Client;
    pub struct RequestBuilder;
    #[derive(Debug)]
    pub struct Error;
    impl ::std::fmt::Display for Error {{
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {{ f.write_str(\"error\") }}
    }}
    impl ::std::error::Error for Error {{}}
    impl Error {{
        pub fn status(&self) -> ::std::option::Option<StatusCode> {{ None }}
        pub fn is_timeout(&self) -> bool {{ false }}
        pub fn is_connect(&self) -> bool {{ false }}
    }}
    pub fn headers(lines: &[&[u8]], name: &'static str) -> HeaderMap {{
        let mut headers = HeaderMap::new();
        for line in lines {{
            if let Ok(value) = HeaderValue::from_bytes(line) {{ headers.append(HeaderName::from_static(name), value); }}
        }}
        headers
    }}
    pub fn value(lines: &[&[u8]]) -> ::std::option::Option<HeaderValue> {{
        lines.first().and_then(|line| HeaderValue::from_bytes(line).ok())
    }}
    pub fn response<B: ::std::default::Default>(lines: &[&[u8]], name: &'static str) -> ::http::Response<B> {{
        let mut response = ::http::Response::new(B::default());
        *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
        *response.headers_mut() = headers(lines, name);
        response
    }}
    pub struct Call(pub HeaderMap);
    impl Call {{
        pub fn metadata(&self) -> &HeaderMap {{ &self.0 }}
    }}
    pub mod blocking {{ pub use super::{{Body, Client, RequestBuilder, Response}}; }}
    pub mod body {{
        pub type Incoming = ::std::vec::Vec<u8>;
        pub type Body = ::std::vec::Vec<u8>;
        pub type Bytes = ::std::vec::Vec<u8>;
    }}
}}
"
    )
}

/// The module that makes values of the clients' own types, whichever they are and from whichever version of the crate `http`. `with_response` is
/// whether it also makes answers of that crate's type, for which it needs the crate by [`OWN_HTTP`].
pub(super) fn maker_module(with_response: bool) -> String {
    let response = format!(
        "    pub fn response<B: ::std::default::Default>(lines: &[&[u8]], name: &'static str) -> ::{OWN_HTTP}::Response<B> {{
        let mut response = ::{OWN_HTTP}::Response::new(B::default());
        *response.status_mut() = status();
        *response.headers_mut() = headers(lines, name);
        response
    }}
"
    );
    format!(
        "mod {CLIENT} {{
    use ::std::convert::TryFrom;
    use ::std::iter::FromIterator;
    pub fn headers<M, N, V>(lines: &[&[u8]], name: &'static str) -> M
    where M: FromIterator<(N, V)>, N: TryFrom<&'static str>, V: for<'a> TryFrom<&'a [u8]> {{
        let pairs = lines.iter().filter_map(|line| Some((N::try_from(name).ok()?, V::try_from(*line).ok()?)));
        pairs.collect()
    }}
    pub fn value<V: for<'a> TryFrom<&'a [u8]>>(lines: &[&[u8]]) -> ::std::option::Option<V> {{
        lines.first().and_then(|line| V::try_from(*line).ok())
    }}
    pub fn name<N: TryFrom<&'static str>>(name: &'static str) -> N {{
        N::try_from(name).ok().expect(\"a header's name\")
    }}
    pub fn status<S: TryFrom<u16>>() -> S {{
        S::try_from(429).ok().expect(\"a status\")
    }}
{}}}
",
        if with_response { &response } else { "" }
    )
}

/// The module that holds the clocks.
pub(super) fn clock_module(clocks: &[Clock]) -> String {
    let mut definitions: Vec<&str> =
        clocks.iter().map(|clock| clock.definition).filter(|text| !text.is_empty()).collect();
    definitions.sort_unstable();
    definitions.dedup();
    let definitions: String = definitions.iter().map(|definition| format!("    {definition}\n")).collect();
    format!(
        "mod {CLOCKS} {{
    use ::std::cell::Cell;
    use ::std::sync::OnceLock;
    use ::std::time::{{Duration, Instant, SystemTime}};
    thread_local! {{
        static NOW: Cell<Option<crate::runtime::Now>> = const {{ Cell::new(None) }};
        static READS: Cell<u64> = const {{ Cell::new(0) }};
    }}
    static START: OnceLock<Instant> = OnceLock::new();
    pub fn set(now: crate::runtime::Now) {{ NOW.set(Some(now)); }}
    pub fn reads() -> u64 {{ READS.get() }}
    fn now() -> crate::runtime::Now {{ NOW.get().expect(\"the time is set before the code runs\") }}
    pub fn wall() -> SystemTime {{ now().wall }}
    pub fn monotonic() -> Instant {{ *START.get_or_init(Instant::now) + now().monotonic }}
    fn count() {{ READS.set(READS.get() + 1); }}
    pub fn system_time() -> SystemTime {{ count(); wall() }}
    pub fn instant() -> Instant {{ count(); monotonic() }}
    pub trait GivenElapsed {{ type Output; fn elapsed_given(&self) -> Self::Output; }}
    impl GivenElapsed for SystemTime {{
        type Output = ::std::result::Result<Duration, ::std::time::SystemTimeError>;
        fn elapsed_given(&self) -> Self::Output {{ system_time().duration_since(*self) }}
    }}
    impl GivenElapsed for Instant {{
        type Output = Duration;
        fn elapsed_given(&self) -> Duration {{ instant().saturating_duration_since(*self) }}
    }}
{definitions}}}
"
    )
}
