//! Tests of module trees and resolution.
