//! Waits carried out, on a manual clock and on the real one.

use std::thread;
use std::time::{Duration, Instant};

use retry_after_core::{
    Cancellation, Clock, Decision, Event, ManualClock, Pause, Reading, Receipt, Repeatable, Schedule, SystemClock,
    Timestamp, Wait, Waited,
};

use crate::{moment, now, seconds};

fn wait_for(value: &str, clock: &impl Clock) -> Wait {
    let reading = Reading::new([value.as_bytes()], Receipt::now(clock));
    match Schedule::new(Duration::ZERO).decide(&reading, clock.monotonic(), Repeatable::Idempotent) {
        Decision::Wait(wait) => wait,
        Decision::Defer(deferral) => panic!("{deferral}"),
    }
}

#[test]
fn a_wait_on_a_manual_clock_takes_exactly_its_time() {
    let clock = ManualClock::new(now());
    clock.advance(seconds(7));
    let wait = wait_for("30", &clock);
    clock.advance(seconds(3));
    assert_eq!(wait.run(&clock, &Cancellation::new()), Waited::Completed);
    assert_eq!(clock.monotonic(), moment(37));
    assert_eq!(clock.wall(), Timestamp::from_unix(crate::NOW + 37));
    // It is over, and stays so.
    assert_eq!(wait.run(&clock, &Cancellation::new()), Waited::Completed);
    assert_eq!(clock.monotonic(), moment(37));
}

#[test]
fn a_wall_clock_that_jumps_during_the_wait_changes_nothing() {
    for jump in [i64::MIN, 0, crate::NOW - 3_600, crate::NOW + 3_600, i64::MAX] {
        for value in ["30", "Mon, 30 Nov 2026 10:30:30 GMT"] {
            let clock = ManualClock::new(now());
            clock.plan(moment(10), Event::SetWall(Timestamp::from_unix(jump)));
            assert_eq!(wait_for(value, &clock).run(&clock, &Cancellation::new()), Waited::Completed);
            assert_eq!(clock.monotonic(), moment(30));
            assert_eq!(clock.wall(), Timestamp::from_unix(jump).saturating_add(seconds(20)));
        }
    }
}

#[test]
fn a_cancellation_ends_a_manual_wait_at_its_moment() {
    let clock = ManualClock::new(now());
    let cancellation = Cancellation::new();
    clock.plan(moment(12), Event::Cancel(cancellation.clone()));
    clock.plan(moment(4), Event::SetWall(now()));
    assert_eq!(wait_for("30", &clock).run(&clock, &cancellation), Waited::Cancelled { remaining: seconds(18) });
    assert_eq!(clock.monotonic(), moment(12));
}

#[test]
fn a_cancelled_wait_does_not_begin() {
    let clock = ManualClock::new(now());
    let cancellation = Cancellation::new();
    assert!(!cancellation.is_cancelled());
    cancellation.cancel();
    assert!(cancellation.is_cancelled());
    assert_eq!(wait_for("30", &clock).run(&clock, &cancellation), Waited::Cancelled { remaining: seconds(30) });
    assert_eq!(wait_for("0", &clock).run(&clock, &cancellation), Waited::Cancelled { remaining: Duration::ZERO });
    assert_eq!(clock.monotonic(), moment(0));

    let before = Instant::now();
    let clock = SystemClock::new();
    assert!(matches!(wait_for("30", &clock).run(&clock, &cancellation), Waited::Cancelled { .. }));
    assert!(before.elapsed() < seconds(10));
}

#[test]
fn events_of_a_manual_clock_happen_in_order_and_up_to_where_it_goes() {
    let clock = ManualClock::new(now());
    let cancellation = Cancellation::new();
    clock.plan(moment(10), Event::SetWall(Timestamp::from_unix(200)));
    clock.plan(moment(5), Event::SetWall(Timestamp::from_unix(100)));
    clock.plan(moment(10), Event::Cancel(cancellation.clone()));
    clock.plan(moment(11), Event::SetWall(Timestamp::from_unix(300)));
    clock.advance(seconds(9));
    assert_eq!(clock.wall(), Timestamp::from_unix(104));
    assert!(!cancellation.is_cancelled());
    clock.advance(seconds(1));
    assert_eq!((clock.monotonic(), clock.wall()), (moment(10), Timestamp::from_unix(200)));
    assert!(cancellation.is_cancelled());
    clock.set_wall(Timestamp::from_unix(-5));
    assert_eq!(clock.wall(), Timestamp::from_unix(-5));
    // One that was planned for the past happens at the next advance.
    clock.plan(moment(1), Event::SetWall(Timestamp::from_unix(7)));
    clock.advance(Duration::ZERO);
    assert_eq!((clock.monotonic(), clock.wall()), (moment(10), Timestamp::from_unix(7)));
}

#[test]
fn two_runs_on_a_manual_clock_are_equal() {
    let run = || {
        let clock = ManualClock::new(now());
        clock.plan(moment(3), Event::SetWall(Timestamp::from_unix(0)));
        let wait = wait_for("Mon, 30 Nov 2026 10:30:07 GMT", &clock);
        (wait.to_string(), wait.run(&clock, &Cancellation::new()), clock.monotonic(), clock.wall())
    };
    assert_eq!(run(), run());
}

#[test]
fn a_wait_on_the_real_clock_is_never_too_short() {
    let clock = SystemClock::default();
    let reading = Reading::new([], Receipt::now(&clock));
    let schedule = Schedule::new(Duration::from_millis(30));
    let before = Instant::now();
    let Decision::Wait(wait) = schedule.decide(&reading, clock.monotonic(), Repeatable::Idempotent) else { panic!() };
    assert_eq!(wait.run(&clock, &Cancellation::new()), Waited::Completed);
    // The receipt lies before `before`, by less than the wait has left to go.
    assert!(before.elapsed() > Duration::from_millis(25), "{:?}", before.elapsed());
    assert!(clock.monotonic().saturating_since(wait.receipt()) >= Duration::from_millis(30));
}

#[test]
fn a_cancellation_ends_a_real_wait_at_once() {
    let clock = SystemClock::new();
    // A wait for ever must not overflow the system's timers either.
    let wait = wait_for("99999999999999999999", &clock);
    let cancellation = Cancellation::new();
    let waiter = thread::spawn({
        let cancellation = cancellation.clone();
        move || wait.run(&clock, &cancellation)
    });
    thread::sleep(Duration::from_millis(30));
    let before = Instant::now();
    cancellation.cancel();
    assert!(matches!(waiter.join().unwrap(), Waited::Cancelled { remaining } if remaining > seconds(1 << 40)));
    assert!(before.elapsed() < seconds(5), "{:?}", before.elapsed());
}

#[test]
fn the_system_clock_tells_both_times() {
    let clock = SystemClock::new();
    let (monotonic, wall) = (clock.monotonic(), clock.wall());
    let system = Timestamp::from(std::time::SystemTime::now());
    assert!(system.offset_from(wall).by() < seconds(60));
    thread::sleep(Duration::from_millis(2));
    assert!(clock.monotonic().saturating_since(monotonic) >= Duration::from_millis(2));
    // Seen through a reference it is the same clock.
    fn through<C: Clock>(clock: C) -> (retry_after_core::Moment, Timestamp) {
        (clock.monotonic(), clock.wall())
    }
    let (monotonic_through, wall_through) = through::<&SystemClock>(&clock);
    assert!(monotonic_through.saturating_since(monotonic) >= Duration::from_millis(2));
    assert!(wall_through.offset_from(wall).by() < seconds(60));
}

#[test]
fn a_clock_that_pauses_too_briefly_only_makes_more_pauses() {
    struct Restless(ManualClock);
    impl Clock for Restless {
        fn monotonic(&self) -> retry_after_core::Moment {
            self.0.monotonic()
        }
        fn wall(&self) -> Timestamp {
            self.0.wall()
        }
    }
    impl Pause for Restless {
        fn pause(&self, at_most: Duration, _cancellation: &Cancellation) {
            self.0.advance((at_most / 2).max(Duration::from_nanos(1)));
        }
    }
    let clock = Restless(ManualClock::new(now()));
    assert_eq!(wait_for("30", &clock).run(&clock, &Cancellation::new()), Waited::Completed);
    assert_eq!(clock.monotonic(), moment(30));
}

#[test]
fn a_wait_on_the_real_clock_sleeps_and_does_not_spin() {
    struct Counted(SystemClock, std::cell::Cell<u32>);
    impl Clock for Counted {
        fn monotonic(&self) -> retry_after_core::Moment {
            self.0.monotonic()
        }
        fn wall(&self) -> Timestamp {
            self.0.wall()
        }
    }
    impl Pause for Counted {
        fn pause(&self, at_most: Duration, cancellation: &Cancellation) {
            self.1.set(self.1.get() + 1);
            self.0.pause(at_most, cancellation);
        }
    }
    let clock = Counted(SystemClock::new(), std::cell::Cell::new(0));
    let reading = Reading::new([], Receipt::now(&clock));
    let schedule = Schedule::new(Duration::from_millis(30));
    let Decision::Wait(wait) = schedule.decide(&reading, clock.monotonic(), Repeatable::Idempotent) else { panic!() };
    assert_eq!(wait.run(&clock, &Cancellation::new()), Waited::Completed);
    // One, but that the system may wake it up for no reason.
    assert!(clock.1.get() < 20, "{} pauses", clock.1.get());

    // A pause that begins after the cancellation is none.
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let before = Instant::now();
    clock.pause(seconds(60), &cancellation);
    assert!(before.elapsed() < seconds(30));
}
