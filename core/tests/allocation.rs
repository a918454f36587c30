//! Reading a value and deciding on it allocate nothing, counted.

#![allow(unsafe_code)] // A global allocator can be written in no other way.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

use retry_after_core::{Jitter, Moment, Reading, Receipt, Repeatable, Schedule, Timestamp};

struct Counting;

thread_local! {
    // By thread: the test harness allocates on its own.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: All work is the system allocator's; the count changes nothing about it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: The caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: The caller keeps the contract, which is the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn nothing_is_allocated() {
    let values: [&[u8]; 12] = [
        b"120",
        b"\t 99999999999999999999 ",
        b"Sun, 06 Nov 1994 08:49:37 GMT",
        b"Mon, 06 Nov 1994 08:49:37 GMT",
        b"Sunday, 06-Nov-94 08:49:37 GMT",
        b"Sun Nov  6 08:49:37 1994",
        b"Sat, 31 Dec 2016 23:59:60 GMT",
        b"",
        b"-1",
        b"soon",
        b"Sun, 31 Nov 1994 08:49:37 GMT",
        b"\xff\x00",
    ];
    let schedule = Schedule::new(Duration::from_secs(8))
        .with_jitter(Jitter::new(Duration::from_secs(5), 1 << 63))
        .with_deadline(Duration::from_secs(1 << 40));
    let before = COUNT.with(Cell::get);
    for value in values {
        let receipt = Receipt::new(Moment::default(), Timestamp::from_unix(1_796_034_600))
            .with_date(b"Mon, 30 Nov 2026 10:35:00 GMT", [b"5, 7".as_slice(), value]);
        let reading = Reading::new([value, b"30", b"soon"], receipt);
        let decision = schedule.decide(&reading, Moment::default(), Repeatable::Idempotent);
        let _ = std::hint::black_box(decision);
    }
    assert_eq!(COUNT.with(Cell::get), before);
    // That the counter counts.
    std::hint::black_box(Box::new(1));
    assert_eq!(COUNT.with(Cell::get), before + 1);
}
