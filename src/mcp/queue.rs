//! One caller at a time in each project, in the order in which they came.
//!
//! The workspace's own lock keeps other processes out; this one makes the calls of one server wait for each other, fairly,
//! instead of failing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use tokio::sync::{Mutex as Turns, OwnedMutexGuard};

use crate::adapters::process::{Cancel, Stop};

/// The queues, one for each project.
#[derive(Debug, Default)]
pub(super) struct Queue {
    projects: Mutex<BTreeMap<Utf8PathBuf, Arc<Turns<()>>>>,
}

/// The turn in one project; the next caller's begins when it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    _held: OwnedMutexGuard<()>,
}

impl Queue {
    /// Waits for the turn in the project at `root`; `None` when `cancel` says to stop waiting.
    ///
    /// `waiting` is told once, where somebody else has the turn.
    pub(super) async fn turn(&self, root: &Utf8Path, cancel: &Cancel, waiting: impl FnOnce()) -> Option<Turn> {
        let turns = {
            let mut projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(projects.entry(root.to_owned()).or_default())
        };
        if cancel.is_cancelled() {
            return None;
        }
        if let Ok(held) = Arc::clone(&turns).try_lock_owned() {
            return Some(Turn { _held: held });
        }
        waiting();
        // Whoever came first is served first: the lock hands itself over in order.
        tokio::select! {
            held = turns.lock_owned() => Some(Turn { _held: held }),
            () = cancel.reached(Stop::Gracefully) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn turns_are_given_in_the_order_they_were_asked_for_and_never_two_at_once() {
        let queue = Arc::new(Queue::default());
        let root = Utf8Path::new("/p");
        let order = Arc::new(Mutex::new(Vec::new()));
        let first = queue.turn(root, &Cancel::default(), || panic!("nobody is before it")).await;
        let mut later = tokio::task::JoinSet::new();
        for number in 0..5 {
            let (queue, order) = (Arc::clone(&queue), Arc::clone(&order));
            let (told, asked) = tokio::sync::oneshot::channel();
            later.spawn(async move {
                let turn = queue.turn(Utf8Path::new("/p"), &Cancel::default(), || told.send(()).unwrap()).await;
                order.lock().unwrap().push(number);
                tokio::task::yield_now().await;
                drop(turn);
            });
            asked.await.unwrap();
            tokio::task::yield_now().await;
        }
        assert_eq!(order.lock().unwrap().len(), 0, "the first still has its turn");
        drop(first);
        while later.join_next().await.is_some() {}
        assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3, 4]);
    }

    #[tokio::test]
    async fn who_stops_waiting_holds_up_nobody_and_other_projects_do_not_wait() {
        let queue = Queue::default();
        let root = Utf8Path::new("/p");
        let first = queue.turn(root, &Cancel::default(), || ()).await;
        let cancel = Cancel::default();
        cancel.request();
        assert!(queue.turn(root, &cancel, || ()).await.is_none());
        assert!(queue.turn(Utf8Path::new("/q"), &Cancel::default(), || panic!("it is free")).await.is_some());
        drop(first);
        assert!(queue.turn(root, &Cancel::default(), || panic!("it is free")).await.is_some());
    }
}
