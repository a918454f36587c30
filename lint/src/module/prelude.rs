//! Names that are there without a `use`.

/// The path in `std` of a name of the prelude.
pub(crate) fn prelude(name: &str) -> Option<&'static str> {
    Some(match name {
        "Option" => "std::option::Option",
        "Some" => "std::option::Option::Some",
        "None" => "std::option::Option::None",
        "Result" => "std::result::Result",
        "Ok" => "std::result::Result::Ok",
        "Err" => "std::result::Result::Err",
        "Vec" => "std::vec::Vec",
        "String" => "std::string::String",
        "ToString" => "std::string::ToString",
        "Box" => "std::boxed::Box",
        "From" => "std::convert::From",
        "Into" => "std::convert::Into",
        "TryFrom" => "std::convert::TryFrom",
        "TryInto" => "std::convert::TryInto",
        "AsRef" => "std::convert::AsRef",
        "AsMut" => "std::convert::AsMut",
        "Default" => "std::default::Default",
        "Clone" => "std::clone::Clone",
        "Copy" => "std::marker::Copy",
        "Send" => "std::marker::Send",
        "Sync" => "std::marker::Sync",
        "Sized" => "std::marker::Sized",
        "Unpin" => "std::marker::Unpin",
        "Drop" => "std::ops::Drop",
        "Fn" => "std::ops::Fn",
        "FnMut" => "std::ops::FnMut",
        "FnOnce" => "std::ops::FnOnce",
        "AsyncFn" => "std::ops::AsyncFn",
        "AsyncFnMut" => "std::ops::AsyncFnMut",
        "AsyncFnOnce" => "std::ops::AsyncFnOnce",
        "Future" => "std::future::Future",
        "IntoFuture" => "std::future::IntoFuture",
        "Iterator" => "std::iter::Iterator",
        "IntoIterator" => "std::iter::IntoIterator",
        "DoubleEndedIterator" => "std::iter::DoubleEndedIterator",
        "ExactSizeIterator" => "std::iter::ExactSizeIterator",
        "Extend" => "std::iter::Extend",
        "FromIterator" => "std::iter::FromIterator",
        "PartialEq" => "std::cmp::PartialEq",
        "Eq" => "std::cmp::Eq",
        "PartialOrd" => "std::cmp::PartialOrd",
        "Ord" => "std::cmp::Ord",
        "ToOwned" => "std::borrow::ToOwned",
        "drop" => "std::mem::drop",
        "size_of" => "std::mem::size_of",
        "size_of_val" => "std::mem::size_of_val",
        _ => return None,
    })
}

/// Whether the name is a primitive type's.
pub(super) fn is_primitive(name: &str) -> bool {
    matches!(name, "bool" | "char" | "str") || crate::ir::is_number_type(name)
}
