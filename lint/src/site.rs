//! Sites: the places that read, parse, schedule on or emit the hint.
