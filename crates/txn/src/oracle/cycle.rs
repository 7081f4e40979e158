//! Cycles in small relations.

/// A relation on up to 32 things: for each, the set of those that come after it.
pub(super) type Relation = Vec<u32>;

/// The numbers on some cycle, if there is one.
pub(super) fn cycle(relation: &Relation) -> Option<Vec<usize>> {
    let mut reach = relation.clone();
    for via in 0..reach.len() {
        for from in 0..reach.len() {
            if reach[from] >> via & 1 == 1 {
                reach[from] |= reach[via];
            }
        }
    }
    let start = (0..reach.len()).find(|&at| reach[at] >> at & 1 == 1)?;
    // Walk towards the start; every step is taken to something that still reaches it.
    let (mut walk, mut at) = (vec![start], start);
    loop {
        if relation[at] >> start & 1 == 1 {
            return Some(walk);
        }
        let next = (0..reach.len())
            .find(|&to| relation[at] >> to & 1 == 1 && reach[to] >> start & 1 == 1 && !walk.contains(&to))?;
        walk.push(next);
        at = next;
    }
}

#[cfg(test)]
mod tests {
    use super::cycle;

    #[test]
    fn cycles_are_found() {
        assert_eq!(cycle(&vec![0b010, 0b100, 0b000]), None);
        assert_eq!(cycle(&vec![0b010, 0b100, 0b001]), Some(vec![0, 1, 2]));
        assert_eq!(cycle(&vec![0b000, 0b010]), Some(vec![1]));
    }
}
