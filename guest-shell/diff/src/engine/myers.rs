//! Implements E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), in its linear-space form: it
//! searches for the middle of a shortest path from both ends at once, then solves the two halves. Two heuristics end a
//! search that takes too long with a path that is good enough.

use super::discard::Kept;

/// A snake (a diagonal of equal lines) is significant from this length on.
const SNAKE: i32 = 20;

/// Marks in `texts` the lines that are not on a path through the kept lines.
pub(super) fn mark(classes: &[Vec<u32>; 2], texts: &mut [Kept; 2], minimal: bool, speed: bool) {
    debug_assert!(classes.iter().zip(texts.iter()).all(|(c, t)| c.len() == t.changed.len()));
    let [a, b] = texts;
    let (n, m) = (a.classes.len(), b.classes.len());
    let diagonals = n + m + 3;
    let mut search = Search {
        a: &a.classes,
        b: &b.classes,
        forward: vec![0; diagonals],
        backward: vec![0; diagonals],
        origin: m as i32 + 1,
        speed,
        too_expensive: square_root(diagonals).max(4096),
    };
    let mut boxes = vec![(Area { x: 0, x_end: n as i32, y: 0, y_end: m as i32 }, minimal)];
    while let Some((area, minimal)) = boxes.pop() {
        let area = search.without_equal_ends(area);
        if area.x == area.x_end {
            b.lines[area.y as usize..area.y_end as usize].iter().for_each(|i| b.changed[*i] = true);
        } else if area.y == area.y_end {
            a.lines[area.x as usize..area.x_end as usize].iter().for_each(|i| a.changed[*i] = true);
        } else {
            let split = search.middle(&area, minimal);
            let (x, y) = (split.x, split.y);
            boxes.push((Area { x, y, ..area }, split.high_minimal));
            boxes.push((Area { x_end: x, y_end: y, ..area }, split.low_minimal));
        }
    }
}

// A rectangle: a range of lines of each text.
#[derive(Clone, Copy)]
struct Area {
    x: i32,
    x_end: i32,
    y: i32,
    y_end: i32,
}

// A point on the path, and whether each half must be solved minimally.
struct Split {
    x: i32,
    y: i32,
    low_minimal: bool,
    high_minimal: bool,
}

// The diagonals that one direction's search uses.
struct Band {
    low: i32,
    high: i32,
}

struct Search<'a> {
    a: &'a [u32],
    b: &'a [u32],
    // For each diagonal x - y, the furthest x reached from the top and from the bottom.
    forward: Vec<i32>,
    backward: Vec<i32>,
    // The index of diagonal 0 in these.
    origin: i32,
    speed: bool,
    too_expensive: i32,
}

impl Search<'_> {
    fn same(&self, x: i32, y: i32) -> bool {
        self.a[x as usize] == self.b[y as usize]
    }

    fn at(&self, diagonal: i32) -> usize {
        (diagonal + self.origin) as usize
    }

    fn without_equal_ends(&self, mut area: Area) -> Area {
        while area.x < area.x_end && area.y < area.y_end && self.same(area.x, area.y) {
            area.x += 1;
            area.y += 1;
        }
        while area.x < area.x_end && area.y < area.y_end && self.same(area.x_end - 1, area.y_end - 1) {
            area.x_end -= 1;
            area.y_end -= 1;
        }
        area
    }

    // Finds a point in the middle of a shortest path, or of a good one. The lines at the area's corners differ.
    fn middle(&mut self, area: &Area, minimal: bool) -> Split {
        let Area { x: x_min, x_end: x_max, y: y_min, y_end: y_max } = *area;
        let (d_min, d_max) = (x_min - y_max, x_max - y_min);
        let (top, bottom) = (x_min - y_min, x_max - y_max);
        let mut down = Band { low: top, high: top };
        let mut up = Band { low: bottom, high: bottom };
        // The two searches meet in a forward step if the difference of the lengths is odd.
        let odd = (top - bottom) & 1 != 0;
        let both_minimal = |x, d| Split { x, y: x - d, low_minimal: true, high_minimal: true };

        let i = self.at(top);
        self.forward[i] = x_min;
        let i = self.at(bottom);
        self.backward[i] = x_max;

        let mut cost = 0;
        loop {
            cost += 1;
            let mut long_snake = false;

            widen(&mut down, d_min, d_max, &mut self.forward, self.origin, -1);
            let mut d = down.high;
            while d >= down.low {
                let i = self.at(d);
                let (below, above) = (self.forward[i - 1], self.forward[i + 1]);
                let from = if below < above { above } else { below + 1 };
                let mut x = from;
                while x < x_max && x - d < y_max && self.same(x, x - d) {
                    x += 1;
                }
                long_snake |= x - from > SNAKE;
                self.forward[i] = x;
                if odd && up.low <= d && d <= up.high && self.backward[i] <= x {
                    return both_minimal(x, d);
                }
                d -= 2;
            }

            widen(&mut up, d_min, d_max, &mut self.backward, self.origin, i32::MAX);
            let mut d = up.high;
            while d >= up.low {
                let i = self.at(d);
                let (below, above) = (self.backward[i - 1], self.backward[i + 1]);
                let from = if below < above { below } else { above - 1 };
                let mut x = from;
                while x_min < x && y_min < x - d && self.same(x - 1, x - d - 1) {
                    x -= 1;
                }
                long_snake |= from - x > SNAKE;
                self.backward[i] = x;
                if !odd && down.low <= d && d <= down.high && x <= self.forward[i] {
                    return both_minimal(x, d);
                }
                d -= 2;
            }

            if minimal {
                continue;
            }
            if cost > 200
                && long_snake
                && self.speed
                && let Some(split) = self
                    .far_forward(area, &down, top, cost)
                    .or_else(|| self.far_backward(area, &up, bottom, cost))
            {
                return split;
            }
            if cost >= self.too_expensive {
                return self.furthest(area, &down, &up);
            }
        }
    }

    // Finds a forward diagonal that has come much further than expected for its cost and ends in a long snake.
    fn far_forward(&self, area: &Area, band: &Band, top: i32, cost: i32) -> Option<Split> {
        let mut best = 0;
        let mut split = None;
        for d in (band.low..=band.high).rev().step_by(2) {
            let off = d - top;
            let x = self.forward[self.at(d)];
            let y = x - d;
            let gain = (x - area.x) * 2 - off;
            if gain > 12 * (cost + off.abs())
                && gain > best
                && (area.x + SNAKE..area.x_end).contains(&x)
                && (area.y + SNAKE..area.y_end).contains(&y)
                && (1..=SNAKE).all(|k| self.same(x - k, y - k))
            {
                best = gain;
                split = Some(Split { x, y, low_minimal: true, high_minimal: false });
            }
        }
        split
    }

    // Does the same for the search from the bottom.
    fn far_backward(&self, area: &Area, band: &Band, bottom: i32, cost: i32) -> Option<Split> {
        let mut best = 0;
        let mut split = None;
        for d in (band.low..=band.high).rev().step_by(2) {
            let off = d - bottom;
            let x = self.backward[self.at(d)];
            let y = x - d;
            let gain = (area.x_end - x) * 2 + off;
            if gain > 12 * (cost + off.abs())
                && gain > best
                && area.x < x
                && x <= area.x_end - SNAKE
                && area.y < y
                && y <= area.y_end - SNAKE
                && (0..SNAKE).all(|k| self.same(x + k, y + k))
            {
                best = gain;
                split = Some(Split { x, y, low_minimal: false, high_minimal: true });
            }
        }
        split
    }

    // The best point that either search has reached: the one furthest from its corner.
    fn furthest(&self, area: &Area, down: &Band, up: &Band) -> Split {
        let mut forward = (-1, 0);
        for d in (down.low..=down.high).rev().step_by(2) {
            let mut x = self.forward[self.at(d)].min(area.x_end);
            if x - d > area.y_end {
                x = area.y_end + d;
            }
            if forward.0 < x + (x - d) {
                forward = (x + (x - d), x);
            }
        }
        let mut backward = (i32::MAX, 0);
        for d in (up.low..=up.high).rev().step_by(2) {
            let mut x = self.backward[self.at(d)].max(area.x);
            if x - d < area.y {
                x = area.y + d;
            }
            if x + (x - d) < backward.0 {
                backward = (x + (x - d), x);
            }
        }
        if (area.x_end + area.y_end) - backward.0 < forward.0 - (area.x + area.y) {
            Split { x: forward.1, y: forward.0 - forward.1, low_minimal: true, high_minimal: false }
        } else {
            Split { x: backward.1, y: backward.0 - backward.1, low_minimal: false, high_minimal: true }
        }
    }
}

// Adds one diagonal on each side, or drops one at the area's edge. `nothing` is the value of a diagonal that has not
// been reached yet.
fn widen(band: &mut Band, d_min: i32, d_max: i32, reached: &mut [i32], origin: i32, nothing: i32) {
    if band.low > d_min {
        band.low -= 1;
        reached[(band.low - 1 + origin) as usize] = nothing;
    } else {
        band.low += 1;
    }
    if band.high < d_max {
        band.high += 1;
        reached[(band.high + 1 + origin) as usize] = nothing;
    } else {
        band.high -= 1;
    }
}

// About the square root: the power of two with half as many bits.
fn square_root(n: usize) -> i32 {
    let mut root = 1;
    let mut rest = n;
    while rest != 0 {
        rest >>= 2;
        root <<= 1;
    }
    root
}
