//! How far a job is: its state, and the steps that a load does once a job, by their names in the ledger.

/// Whether a job is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not all of its rows are stored.
    Running,
    /// Every record is stored or rejected.
    Done,
}

/// How far a job is: each step comes after those before it, and what is finished is not done again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum JobStep {
    /// Nothing was done yet.
    #[default]
    Begin,
    /// The copy of the table that is to be filled may be there.
    Make,
    /// It is.
    Create,
    /// The table was emptied.
    Truncate,
    /// What is to be run before the first row was run.
    Before,
    /// The indexes that are to be rebuilt are dropped.
    Drop,
    /// Every chunk is stored.
    Chunks,
    /// The indexes are rebuilt.
    Indexes,
    /// What is to be run after the last row was run.
    After,
    /// The file of the rejects may be in its place, and may be replaced.
    Rejects,
    /// The result was verified.
    Verify,
}

impl JobStep {
    /// All steps, in order.
    pub const ALL: [JobStep; 11] = [
        JobStep::Begin,
        JobStep::Make,
        JobStep::Create,
        JobStep::Truncate,
        JobStep::Before,
        JobStep::Drop,
        JobStep::Chunks,
        JobStep::Indexes,
        JobStep::After,
        JobStep::Rejects,
        JobStep::Verify,
    ];

    /// The name in the ledger.
    pub fn name(self) -> &'static str {
        match self {
            JobStep::Begin => "begin",
            JobStep::Make => "make",
            JobStep::Create => "create",
            JobStep::Truncate => "truncate",
            JobStep::Before => "before",
            JobStep::Drop => "drop",
            JobStep::Chunks => "chunks",
            JobStep::Indexes => "indexes",
            JobStep::After => "after",
            JobStep::Rejects => "rejects",
            JobStep::Verify => "verify",
        }
    }

    /// The step of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.name() == name)
    }
}

impl State {
    /// The name in the ledger.
    pub fn name(self) -> &'static str {
        match self {
            State::Running => "running",
            State::Done => "done",
        }
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        [State::Running, State::Done].into_iter().find(|state| state.name() == name)
    }
}
