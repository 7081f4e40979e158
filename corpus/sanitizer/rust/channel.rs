// verdict: silent
//! Channels, bounded and not, from several senders to one receiver.
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{channel, sync_channel};

fn main() {
    let beside: Vec<AtomicUsize> = (0..9).map(|_| AtomicUsize::new(0)).collect();
    let (sender, receiver) = channel();
    let (bounded_sender, bounded_receiver) = sync_channel(1);
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let (sender, bounded_sender, beside) = (sender.clone(), bounded_sender.clone(), &beside);
            scope.spawn(move || {
                for turn in 0..3 {
                    let number = 3 * thread + turn;
                    beside[number].store(number + 1, Relaxed);
                    if turn == 1 { bounded_sender.send(number).unwrap() } else { sender.send(number).unwrap() }
                }
            });
        }
        drop((sender, bounded_sender));
        for number in bounded_receiver.iter().chain(receiver.iter()) {
            assert_eq!(beside[number].load(Relaxed), number + 1);
        }
    });
}
