//! The cheapest choice that meets every demand: a minimum-cost hitting set, by branch and bound.
//!
//! Each slot takes one of its options; option 0 costs nothing. A demand is a set of options per slot, of which at least one must be taken. Demands are closed upwards:
//! with an option, they contain every stronger option of the same slot. So it is enough to branch on the options of the first unmet demand that are at
//! least as strong as those taken so far.

/// The options that meet a demand: per slot, one bit for each option.
pub(crate) type Demand = Vec<u64>;

/// A problem: the cost of each option of each slot, and which options are at least as strong as which.
pub(crate) struct Problem<'a> {
    /// By slot and option.
    pub(crate) costs: &'a [Vec<u32>],
    /// By slot and option, the options that are at least as strong.
    pub(crate) stronger: &'a [Vec<u64>],
    /// The demands to meet.
    pub(crate) demands: &'a [Demand],
}

impl Problem<'_> {
    /// The cheapest choice, one option per slot. Nothing if a demand cannot be met.
    pub(crate) fn solve(&self) -> Option<Vec<usize>> {
        let slots = self.costs.len();
        let mut search = HittingSetSearch { problem: self, best: None, bound: u32::MAX };
        search.branch(&mut vec![0; slots], &mut vec![0; slots], 0);
        search.best
    }

    /// The additional cost of an option.
    fn step(&self, choice: &[usize], slot: usize, option: usize) -> u32 {
        self.costs[slot][option].saturating_sub(self.costs[slot][choice[slot]])
    }

    /// The options that meet a demand from here on, cheapest first.
    fn ways(&self, choice: &[usize], forbidden: &[u64], demand: &Demand) -> Vec<(u32, usize, usize)> {
        let mut ways = Vec::new();
        for slot in 0..demand.len() {
            let mut options = demand[slot] & self.stronger[slot][choice[slot]] & !forbidden[slot];
            while options != 0 {
                let option = options.trailing_zeros() as usize;
                options &= options - 1;
                ways.push((self.step(choice, slot, option), slot, option));
            }
        }
        ways.sort_unstable();
        ways
    }
}

struct HittingSetSearch<'a> {
    problem: &'a Problem<'a>,
    best: Option<Vec<usize>>,
    bound: u32,
}

impl HittingSetSearch<'_> {
    fn branch(&mut self, choice: &mut Vec<usize>, forbidden: &mut Vec<u64>, cost: u32) {
        let problem = self.problem;
        let open: Vec<_> = problem
            .demands
            .iter()
            .filter(|demand| !meets(choice, demand))
            .map(|demand| problem.ways(choice, forbidden, demand))
            .collect();
        if cost.saturating_add(at_least(&open)) >= self.bound {
            return;
        }
        let Some(ways) = open.into_iter().min_by_key(Vec::len) else {
            self.bound = cost;
            self.best = Some(choice.clone());
            return;
        };
        let before = forbidden.clone();
        for (step, slot, option) in ways {
            let old = std::mem::replace(&mut choice[slot], option);
            self.branch(choice, forbidden, cost + step);
            choice[slot] = old;
            // All choices with this option or a stronger one were visited below.
            forbidden[slot] |= 1 << option;
        }
        *forbidden = before;
    }
}

fn meets(choice: &[usize], demand: &Demand) -> bool {
    choice.iter().zip(demand).any(|(&option, options)| options >> option & 1 == 1)
}

/// A lower bound for the cost of the unmet demands: demands without a common slot add up.
fn at_least(open: &[Vec<(u32, usize, usize)>]) -> u32 {
    let (mut taken, mut sum) = (Vec::new(), 0_u32);
    for ways in open {
        if ways.iter().any(|(_, slot, _)| taken.contains(slot)) {
            continue;
        }
        taken.extend(ways.iter().map(|&(_, slot, _)| slot));
        sum = sum.saturating_add(ways.first().map_or(u32::MAX, |way| way.0));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slots with one option each, of the given costs.
    fn solve(costs: &[u32], demands: &[&[usize]]) -> Option<Vec<usize>> {
        let costs: Vec<_> = costs.iter().map(|&cost| vec![0, cost]).collect();
        let stronger = vec![vec![0b11, 0b10]; costs.len()];
        let demand = |slots: &&[usize]| (0..costs.len()).map(|slot| u64::from(slots.contains(&slot)) << 1).collect();
        let demands: Vec<Demand> = demands.iter().map(demand).collect();
        Problem { costs: &costs, stronger: &stronger, demands: &demands }.solve()
    }

    #[test]
    fn the_cheapest_set_is_found() {
        assert_eq!(solve(&[1, 1, 1], &[]), Some(vec![0, 0, 0]));
        assert_eq!(solve(&[1, 1, 1], &[&[0, 1], &[1, 2]]), Some(vec![0, 1, 0]));
        assert_eq!(solve(&[1, 3, 1], &[&[0, 1], &[1, 2]]), Some(vec![1, 0, 1]));
        assert_eq!(solve(&[1], &[&[]]), None);
    }

    #[test]
    fn two_halves_are_joined_if_that_is_cheaper() {
        // Options: nothing, acquire, release, both.
        let (costs, stronger) = (vec![vec![0, 4, 4, 5]; 2], vec![vec![0b1111, 0b1010, 0b1100, 0b1000]; 2]);
        let demands = vec![vec![0b1010, 0b1010], vec![0b1100, 0]];
        let solved = Problem { costs: &costs, stronger: &stronger, demands: &demands }.solve();
        assert_eq!(solved, Some(vec![3, 0]));
    }
}
