//! Cores: the same work for each of several things, on all of them.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Does the work for each on all cores, begun in their order; so are the results.
///
/// # Panics
///
/// Where the work does.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let indices = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let mine = indices.map_while(|index| items.get(index).map(|item| (index, item)));
        mine.map(|(index, item)| (index, work(item))).collect::<Vec<_>>()
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let ended = workers.into_iter().map(|worker| worker.join());
        ended.flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
