//! Work for each of several roots, on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Does the work for each index, in that order as far as several threads can, and gives the results by rising index, whatever the order was.
pub(super) fn on_all_cores<T: Send>(order: &[usize], work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let take = || {
        let places = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let indices = places.map_while(|place| order.get(place).copied());
        indices.map(|index| (index, work(index))).collect::<Vec<_>>()
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(order.len());
    let mut done = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(take)).collect();
        let own = take();
        let others = workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        own.into_iter().chain(others).collect::<Vec<_>>()
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
