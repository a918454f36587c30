//! What an HTTP `Retry-After` value means, and how long a client has to wait because of it (RFC 9110, section 10.2.3).
#![cfg_attr(not(feature = "std"), no_std)]
