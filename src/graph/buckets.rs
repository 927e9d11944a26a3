//! A sort into buckets that costs linear time and no allocation for each bucket.
//!
//! It knows nothing of tasks. Tested through all that is matched and linked with it.

/// Members sorted into numbered buckets, in linear time and two allocations. The
/// members of a bucket keep the order they were given in.
#[derive(Debug)]
pub(crate) struct Buckets {
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Buckets {
    /// Sorts `(bucket, member)` pairs into `count` buckets.
    pub(crate) fn new(count: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0; count + 1];
        for (bucket, _) in pairs.clone() {
            starts[bucket as usize + 1] += 1;
        }
        for bucket in 0..count {
            starts[bucket + 1] += starts[bucket];
        }
        let mut members = vec![0; starts[count] as usize];
        let mut next = starts.clone();
        for (bucket, member) in pairs {
            let place = &mut next[bucket as usize];
            members[*place as usize] = member;
            *place += 1;
        }
        Buckets { starts, members }
    }

    pub(crate) fn of(&self, bucket: u32) -> &[u32] {
        let bucket = bucket as usize;
        &self.members[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}
