//! The opening of the jobs: read the lines, decide, and take over, all before a row is sent.
//!
//! Between the read and the taking over another run may do the same, so what was decided holds only if the lines are unchanged;
//! otherwise everything begins again at the read. Taking over waits for every transaction that an older run has open, and for what it does that
//! commits by itself.

use super::alone::while_locked;
use super::compare::{Candidate, Compared};
use super::ended::note_end;
use super::tables::{PROGRAM, is_contended};
use super::{Jobs, OpenJob, group, tables, twins};
use crate::blocking::Connection;
use crate::fault;
use crate::loader::control::Control;
use crate::loader::lanes::lane::Lane;
use crate::loader::lanes::retry::{Tried, Why, Work};
use crate::loader::lanes::waits::{interrupted, on_sources};
use crate::loader::options::Guarantee;
use crate::loader::plan::source_plan::SourcePlan;
use crate::loader::plan::target::Target;
use crate::loader::report::event::LoadEvent;
use crate::loader::sql;
use inrush_core::load::ledger::{
    ChunkLine, Fence, Held, Identity, JobId, JobLine, JobStep, Ledger, Mapping, NamedJob, Opening, Run, Start, State,
    Totals, Undoable, Undone, UndoneLoad, decide, undoable,
};
use inrush_core::load::report::{self, Job, JobState, Records};
use inrush_core::load::steps::{Copied, Index, JobLocks};
use inrush_core::load::{Mode, Source};
use inrush_core::{Error, Kind, Result};
use std::mem;
use std::sync::Arc;

/// Takes over every job of the load, and leaves out of `sources` and `plans` what is loaded already. Passes to each source what of it
/// is stored; gives each plan its fence.
pub(crate) fn open(
    first: &mut Lane<'_>,
    sources: &mut Vec<Box<dyn Source>>,
    plans: &mut Vec<Arc<SourcePlan>>,
) -> Result<Jobs> {
    let target = first.target;
    if target.load.options.guarantee == Guarantee::AtLeastOnce || target.load.options.dry_run || sources.is_empty() {
        return Ok(Jobs::default());
    }
    let mut ledger = target.ledger();
    let identities = on_sources(&target.load.control, sources, |sources| {
        sources.iter_mut().map(|source| source.identity()).collect::<Result<Vec<_>>>()
    })??;
    let mut candidates = candidates(target, sources, identities, plans)?;
    let mut compared = Compared::default();
    let locks = JobLocks::of(candidates.iter().map(|candidate| candidate.id));
    // What an attempt has done before its connection was lost, the next attempt finds as if another run had done it.
    let opened = first.run_to_its_end("the opening of the ledger", |connection| {
        tables::provide(connection, &mut ledger)?;
        if let Some(named) = &target.load.options.job {
            let (schema, table) = spelled(target);
            twins::check_head(connection, &ledger, named, (&schema, &table), &target.name())?;
        }
        follow(connection, (target, &ledger), &mut candidates, sources, plans)?;
        compared.compare_all(connection, (target, &ledger), &candidates, sources)?;
        while_locked(&locks, connection, target, |connection| {
            Opener { connection, target, ledger: &ledger, candidates: &candidates }.open(sources)
        })
    })?;
    let taken = opened.iter().filter_map(|opened| match opened {
        Opened::Taken { line, .. } => Some(fence(&ledger, line)),
        Opened::Loaded { .. } => None,
    });
    let fences: Vec<Fence> = taken.collect();
    resume(target, &ledger, (candidates, opened), &mut compared, sources, plans)
        .inspect_err(|error| note_end(target, fences.iter(), &error.to_string()))
}

/// Makes each source skip what is stored of it, now that the jobs are this run's.
fn resume(
    target: &Target,
    ledger: &Ledger,
    (candidates, opened): (Vec<Candidate>, Vec<Opened>),
    compared: &mut Compared,
    sources: &mut Vec<Box<dyn Source>>,
    plans: &mut Vec<Arc<SourcePlan>>,
) -> Result<Jobs> {
    let mut jobs = Jobs::default();
    let offered = mem::take(sources).into_iter().zip(mem::take(plans));
    for (((mut source, mut plan), candidate), opened) in offered.zip(candidates).zip(opened) {
        match opened {
            Opened::Loaded { on, totals, is_touched } => {
                if is_touched {
                    target.load.notify(&LoadEvent::Touched { source: candidate.name.clone() });
                }
                let source = candidate.named.as_ref().map_or(candidate.name.clone(), |named| named.to_string().into());
                target.load.notify(&match candidate.undoes {
                    Some(_) => LoadEvent::AlreadyUndone { source, on: on.clone() },
                    None => LoadEvent::AlreadyLoaded { source, on: on.clone() },
                });
                let state = JobState::AlreadyLoaded(on);
                jobs.already_loaded.push(Job {
                    id: candidate.id,
                    source: candidate.name,
                    named: candidate.named,
                    state,
                    resumed: totals,
                });
            }
            Opened::Taken { line, stored, undoes } => {
                let (stored, claim) = group::split(stored);
                let mut job = taken(candidate, ledger, &line, &stored, plan.index);
                job.undoes = undoes;
                job.claim = claim;
                for index in Index::stored_of(line.indexes.as_deref())? {
                    if !jobs.indexes.contains(&index) {
                        jobs.indexes.push(index);
                    }
                }
                jobs.copied = jobs.copied.or_else(|| Copied::parse(&line.copied));
                let is_begun = !stored.is_empty();
                if target.sort.sorts() {
                    // They are compared while they are merged.
                    job.lines = stored;
                } else if is_begun {
                    let mut one = vec![source];
                    match target.load.options.trust_source {
                        true => on_sources(&target.load.control, &mut one, move |one| {
                            one.iter_mut().try_for_each(|one| one.resume(&stored, false))
                        })??,
                        false => compared.resume(job.fence.job, stored, &target.load.control, &mut one)?,
                    }
                    let Some(resumed) = one.pop() else { return Err(interrupted()) };
                    source = resumed;
                }
                if is_begun {
                    let (rows, chunks) = (job.resumed.rows, job.resumed.chunks);
                    target.load.notify(&LoadEvent::Resumed {
                        source: job.name.clone(),
                        job: job.fence.job,
                        rows,
                        chunks,
                    });
                }
                if let Some(plan) = Arc::get_mut(&mut plan) {
                    plan.fence = Some(job.fence.clone());
                    if let Some(notes) = &mut plan.notes {
                        notes.job = jobs.jobs.len();
                    }
                }
                jobs.jobs.push(job);
                sources.push(source);
                plans.push(plan);
            }
        }
    }
    jobs.check_claims(target.sort.sorts() || target.sort.by_server())?;
    Ok(jobs)
}

/// A job that is not finished is continued as it was begun: sorted or not, and with the spelling of its cells kept if it made its table.
fn follow(
    connection: &mut Connection,
    (target, ledger): (&Target, &Ledger),
    candidates: &mut [Candidate],
    sources: &[Box<dyn Source>],
    plans: &mut [Arc<SourcePlan>],
) -> Result<()> {
    let ids: Vec<JobId> = candidates.iter().map(|candidate| candidate.id).collect();
    let lines = sql::rows(connection, &JobLine::query(ledger, Some(&ids), false))?;
    connection.execute("COMMIT", ())?;
    for row in &lines {
        let line = JobLine::parse(row)?;
        if line.state == State::Running && line.of_another_version().is_none() {
            target.sort.follow(&line.mapping);
            let of_it = candidates.iter().position(|candidate| candidate.id == line.id);
            if let Some(plan) = of_it.and_then(|at| plans.get_mut(at)).and_then(Arc::get_mut) {
                plan.follow(&line.mapping);
            }
        }
    }
    for ((candidate, source), plan) in candidates.iter_mut().zip(sources).zip(plans) {
        candidate.mapping = mapping(target, plan, &**source);
    }
    Ok(())
}

/// What became of a candidate.
enum Opened {
    Taken { line: Box<JobLine>, stored: Vec<ChunkLine>, undoes: Option<(JobId, u32)> },
    Loaded { on: String, totals: Totals, is_touched: bool },
}

struct Opener<'a> {
    connection: &'a mut Connection,
    target: &'a Target,
    ledger: &'a Ledger,
    candidates: &'a [Candidate],
}

/// How a source becomes rows, as the ledger has it.
fn mapping(target: &Target, plan: &SourcePlan, source: &dyn Source) -> Mapping {
    let named = target.load.options.job.as_ref().map(NamedJob::mapping).unwrap_or_default();
    named.and(plan.mapping(target)).and(source.reading())
}

/// The target's schema and table as the server compares names.
fn spelled(target: &Target) -> (String, String) {
    let spelled = |name: &str| if target.ignores_case { name.to_lowercase() } else { name.to_owned() };
    (spelled(&target.table.schema), spelled(&target.table.name))
}

fn candidates(
    target: &Target,
    sources: &[Box<dyn Source>],
    identities: Vec<Option<Identity>>,
    plans: &[Arc<SourcePlan>],
) -> Result<Vec<Candidate>> {
    let (schema, table) = spelled(target);
    let named = target.load.options.job.as_ref();
    if let (Some(named), [_, second, ..]) = (named, sources) {
        return Err(Error::config(format!("{named} is one file, and `{}` is another one", second.name()))
            .with_hint("load each file as a part of its own, with a name for each"));
    }
    let mut candidates: Vec<Candidate> = Vec::new();
    for ((source, identity), plan) in sources.iter().zip(identities).zip(plans) {
        let key = match &identity {
            None => source.name().to_owned(),
            // Streams have only one name, and another stream is another job.
            Some(stream) if stream.size.is_none() => format!("{}, begins with {:016x}", stream.name, stream.hash),
            Some(file) => file.name.clone(),
        };
        let key = named.map_or(key, NamedJob::to_string);
        let is_undo = target.load.options.mode == Mode::Undo;
        let id = match (&identity, named) {
            (Some(_), Some(named)) => named.id(&schema, &table),
            (Some(_), None) if is_undo => JobId::of_undo(&schema, &table, &key),
            (Some(_), None) => JobId::of(&schema, &table, &key),
            (None, _) => JobId(rand::random()),
        };
        let undoes = is_undo.then(|| JobId::of(&schema, &table, &key));
        let key = if is_undo { format!("undo of {key}") } else { key };
        if let Some(twice) = candidates.iter().find(|other| other.id == id) {
            return Err(Error::config(format!("`{}` is given twice", twice.name))
                .with_hint("a load stores each source once; load it again afterwards with `--again`"));
        }
        let mapping = mapping(target, plan, &**source);
        let lacks = plan.adds(target).next().map(|(name, _)| name.clone());
        candidates.push(Candidate {
            id,
            name: source.name().into(),
            named: named.cloned(),
            key,
            identity,
            mapping,
            lacks,
            undoes,
        });
    }
    Ok(candidates)
}

impl Opener<'_> {
    fn open(mut self, sources: &mut [Box<dyn Source>]) -> Result<Vec<Opened>> {
        let control = &self.target.load.control;
        // Shorter than a load's, so that the wait is reported soon.
        self.connection.execute(&format!("SET SESSION innodb_lock_wait_timeout = {LOOK_AGAIN_SECONDS}"), ())?;
        let opened = self.target.load.retrying(0, Work::OtherRun).run(Control::is_stopping, |_| {
            if control.is_stopping() {
                return Tried::Refused(interrupted());
            }
            control.waits(0, Some("the ledger"));
            let contended = match self.attempt(sources) {
                Ok(Some(opened)) => return Tried::Done(opened),
                Ok(None) => {
                    Error::new(Kind::Server, "its lines change all the time: other runs of this load are at work")
                }
                Err(error) if is_contended(&error) => error,
                Err(error) if error.kind() == Kind::Guarantee => return Tried::Refused(error),
                Err(error) => return Tried::Refused(cannot_open(error)),
            };
            match self.connection.execute("ROLLBACK", ()) {
                Ok(_) => Tried::Contended(contended),
                Err(error) => Tried::Refused(error),
            }
        });
        let opened = opened.map_err(|gave_up| match gave_up.why {
            Why::Interrupted => interrupted(),
            Why::TimeIsOver => cannot_open(gave_up.error),
            Why::Final | Why::TooLarge => gave_up.error,
        })?;
        self.connection.execute(&format!("SET SESSION innodb_lock_wait_timeout = {LOAD_LOCK_WAIT_SECONDS}"), ())?;
        control.waits(0, None);
        Ok(opened)
    }

    /// Decides and takes over; `None` if a line has changed in between.
    fn attempt(&mut self, sources: &mut [Box<dyn Source>]) -> Result<Option<Vec<Opened>>> {
        let lines = self.read_lines()?;
        let undone = self.undone_lines()?;
        let openings = self.decide(&lines, &undone, sources)?;
        let mut order: Vec<usize> = (0..openings.len()).collect();
        // In one order, so that two runs cannot wait for each other in a circle.
        order.sort_by_key(|&i| self.candidates[i].id);
        for i in order {
            if !self.take_over(&self.candidates[i], lines[i].as_ref(), &openings[i])? {
                return Ok(None);
            }
        }
        let taken = self.lines(true)?;
        self.check_not_being_undone()?;
        self.connection.execute("COMMIT", ())?;
        fault::point("job.taken");
        let mut opened = Vec::new();
        for (((candidate, opening), old), undone) in self.candidates.iter().zip(&openings).zip(lines).zip(undone) {
            let taken = taken.iter().find(|line| line.id == candidate.id);
            opened.push(match (opening, taken, old) {
                (Opening::AlreadyLoaded, _, Some(line)) => {
                    let is_touched = candidate.named.is_none()
                        && candidate.identity.as_ref().is_some_and(|now| now.modified != line.modified);
                    Opened::Loaded { on: line.finished, totals: line.totals, is_touched }
                }
                (_, Some(line), _) => {
                    let rows = sql::rows(self.connection, &JobLine::chunks_query(self.ledger, candidate.id))?;
                    let stored = rows.iter().map(|row| ChunkLine::parse(row)).collect::<Result<_>>()?;
                    let undoes = undone.map(|line| (line.id, line.epoch));
                    Opened::Taken { line: Box::new(line.clone()), stored, undoes }
                }
                _ => return Ok(None),
            });
        }
        self.connection.execute("COMMIT", ())?;
        Ok(Some(opened))
    }

    /// Refuses a table of which a killed `inrush undo` may have put back the old content, with jobs of its own. It has locked the whole
    /// ledger when it notes that, so it has seen the lines that were taken before.
    fn check_not_being_undone(&mut self) -> Result<()> {
        let target = self.target.name();
        let Some(query) = JobLine::being_undone_query(self.ledger, &target) else { return Ok(()) };
        let Some(job) = sql::rows(self.connection, &query)?.into_iter().flatten().next() else { return Ok(()) };
        let why = format!("job {job} of table `{target}` is being undone, and that was not finished");
        Err(Error::new(Kind::Guarantee, why)
            .with_hint(format!("`inrush undo {job}` finishes it; then repeat this command")))
    }

    /// The line of each candidate, with what is stored of it.
    fn read_lines(&mut self) -> Result<Vec<Option<JobLine>>> {
        let lines = self.lines(false)?;
        let mut found = Vec::new();
        for candidate in self.candidates {
            let mut line = lines.iter().find(|line| line.id == candidate.id).cloned();
            if let Some(line) = line.as_mut().filter(|line| line.state == State::Running) {
                line.totals = totals(self.connection, &fence(self.ledger, line))?;
            }
            found.push(line);
        }
        Ok(found)
    }

    /// Of an undo: the line of the job whose rows each candidate deletes.
    fn undone_lines(&mut self) -> Result<Vec<Option<JobLine>>> {
        let ids: Vec<JobId> = self.candidates.iter().filter_map(|candidate| candidate.undoes).collect();
        let mut lines = Vec::new();
        if !ids.is_empty() {
            for row in sql::rows(self.connection, &JobLine::query(self.ledger, Some(&ids), false))? {
                lines.push(JobLine::parse(&row)?);
            }
        }
        let of = |candidate: &Candidate| lines.iter().find(|line| Some(line.id) == candidate.undoes).cloned();
        Ok(self.candidates.iter().map(of).collect())
    }

    fn lines(&mut self, locked: bool) -> Result<Vec<JobLine>> {
        let ids: Vec<JobId> = self.candidates.iter().map(|candidate| candidate.id).collect();
        let rows = sql::rows(self.connection, &JobLine::query(self.ledger, Some(&ids), locked))?;
        rows.iter().map(|row| JobLine::parse(row)).collect()
    }

    fn decide(
        &mut self,
        lines: &[Option<JobLine>],
        undone_lines: &[Option<JobLine>],
        sources: &mut [Box<dyn Source>],
    ) -> Result<Vec<Opening>> {
        let shadow = self.target.shadow().map(|shadow| shadow.shadow);
        let held = self.held(lines, shadow.as_deref())?;
        let me = sql::first_row(self.connection, "SELECT CURRENT_USER()")?.concat();
        let options = &self.target.load.options;
        let nobody = Identity { name: String::new(), size: None, modified: None, hash: 0 };
        let mut runs = Vec::new();
        let candidates = self.candidates.iter().zip(undone_lines);
        for ((((candidate, of), line), source), held) in candidates.zip(lines).zip(sources).zip(held) {
            if let Some(error) = line.as_ref().and_then(JobLine::of_another_version) {
                return Err(error);
            }
            if let Some(line) = line.as_ref().filter(|line| line.state == State::Running) {
                // Before anything is taken over: what is not understood is not touched.
                Index::stored_of(line.indexes.as_deref())?;
            }
            let is_foreign = line.as_ref().is_some_and(|line| !line.owner.is_empty() && line.owner != me);
            if is_foreign && options.force && options.trust_source {
                return Err(Error::config("`--trust-source` takes no job of another user over").with_hint(
                    "without it what is stored is compared with the file, which shows that this user may see its rows",
                ));
            }
            let identity = candidate.identity.as_ref().unwrap_or(&nobody);
            let was_loaded_again = match candidate.undoes {
                Some(_) => {
                    let copied = of.as_ref().and_then(|line| Copied::parse(&line.copied));
                    let load = UndoneLoad {
                        line: of.as_ref(),
                        source: &candidate.name,
                        identity,
                        mapping: &candidate.mapping,
                        by_copy: copied.as_ref().is_some_and(|copied| !copied.is_undone_by_rows()),
                        was_undone: copied.is_some_and(|copied| copied.is_undone_by_rows()),
                        force: options.force,
                        me: &me,
                    };
                    undoable(&load, line.as_ref())? == Undoable::Yes { again: true }
                }
                None => false,
            };
            let old_size = line.as_ref().and_then(|line| line.size);
            let old_head = match old_size.filter(|&old| identity.size.is_some_and(|now| old < now)) {
                Some(old) => source.hash_of_first(old)?,
                None => None,
            };
            let mapping = &candidate.mapping;
            // The copy of an atomic load has the columns, and the table does not until it is replaced.
            let is_in_copy = shadow.is_some() && line.as_ref().is_some_and(|line| line.state == State::Running);
            let lost = candidate.lacks.as_deref().filter(|_| !is_in_copy);
            runs.push((
                line.as_ref(),
                Run {
                    identity,
                    mapping,
                    named: candidate.named.as_ref(),
                    may_take_over: !is_foreign || options.force,
                    again: options.again || was_loaded_again,
                    skip_loaded: options.skip_loaded,
                    mode: options.mode,
                    repeatable: options.mode.is_repeatable(),
                    held,
                    undone: line.as_ref().map_or(Undone::No, undone),
                    lost,
                    old_head,
                },
            ));
        }
        let openings = decide(&runs, options.truncate);
        match openings.iter().find_map(|opening| if let Opening::Refused(error) = opening { Some(error) } else { None })
        {
            Some(error) => Err(error.clone()),
            None => Ok(openings),
        }
    }

    /// The rows of each line that exist: in the table, or in the copy of this name that an atomic load fills.
    fn held<'a>(&mut self, lines: &[Option<JobLine>], copy: Option<&'a str>) -> Result<Vec<Held<'a>>> {
        let target = self.target;
        let mode = target.load.options.mode;
        let is_in_copy = |line: &JobLine| copy.is_some() && line.state == State::Running;
        let most = |in_copy: bool| {
            let lines = lines.iter().flatten().filter(|line| is_in_copy(line) == in_copy);
            lines.map(|line| line.look_for(mode)).max().unwrap_or(0)
        };
        let in_table = match (target.to_create.is_some(), most(false)) {
            (true, _) => Held::NoTable,
            (false, 0) => Held::Rows(0),
            (false, most) => Held::Rows(self.count(&target.quoted(), most)?),
        };
        let in_copy = match copy {
            Some(name) if lines.iter().flatten().any(is_in_copy) => {
                let is_there = sql::is_there(self.connection, &target.table.schema, name)?;
                Held::InCopy(name, if is_there { Some(self.count(&target.filled(), most(true))?) } else { None })
            }
            _ => Held::Unknown,
        };
        let of = |line: &Option<JobLine>| match line {
            Some(line) if is_in_copy(line) => {
                // It may be the table by now.
                let may_be_renamed = Copied::parse(&line.copied).is_none_or(|copied| copied.renames);
                if may_be_renamed || line.step >= JobStep::Indexes { Held::Unknown } else { in_copy }
            }
            _ => in_table,
        };
        Ok(lines.iter().map(of).collect())
    }

    fn count(&mut self, table: &str, most: u64) -> Result<u64> {
        let query = format!("SELECT COUNT(*) FROM (SELECT 1 FROM {table} LIMIT {most}) AS held");
        let count = sql::first_row(self.connection, &query)?.concat();
        count.parse().map_err(|_| Error::protocol("the server does not count the rows of the table"))
    }

    /// Makes the line this run's. Returns whether the line was unchanged since it was read.
    fn take_over(&mut self, candidate: &Candidate, line: Option<&JobLine>, opening: &Opening) -> Result<bool> {
        let ledger = self.ledger;
        let target = self.target.name();
        let start = Start {
            id: candidate.id,
            target: &target,
            source: &candidate.key,
            identity: candidate.identity.as_ref(),
            mapping: &candidate.mapping,
            program: PROGRAM,
        };
        match (opening, line) {
            (Opening::AlreadyLoaded, _) => Ok(true),
            (Opening::Resume, Some(_)) => {
                let update = JobLine::take_over_statement(ledger, &start);
                Ok(self.connection.execute(&update, ())?.affected == 1)
            }
            (Opening::Anew, Some(line)) => {
                let [update, chunks, rejects] = JobLine::restart_statements(ledger, &start, line.epoch);
                if self.connection.execute(&update, ())?.affected != 1 {
                    return Ok(false);
                }
                // What an older run had open is over now, and may have stored something after all.
                let fence = fence(ledger, line);
                if line.state == State::Running && totals(self.connection, &fence)?.chunks > 0 {
                    return Ok(false);
                }
                self.connection.execute(&chunks, ())?;
                self.connection.execute(&rejects, ())?;
                Ok(true)
            }
            // A random id in the lower half, which leaves room to increment.
            _ => {
                let epoch = rand::random::<u32>() >> 1;
                self.connection.execute(&JobLine::clear_statement(ledger, candidate.id), ())?;
                Ok(self.connection.execute(&JobLine::insert_statement(ledger, &start, epoch), ())?.affected == 1)
            }
        }
    }
}

/// Whether the load of a finished job was undone.
fn undone(line: &JobLine) -> Undone {
    match Copied::parse(&line.copied) {
        Some(copied) if line.state == State::Done && copied.is_undone => match copied.rows {
            Some(_) => Undone::Beside,
            None => Undone::InPlace,
        },
        _ => Undone::No,
    }
}

fn taken(candidate: Candidate, ledger: &Ledger, line: &JobLine, stored: &[ChunkLine], source_index: usize) -> OpenJob {
    let records = |chunk: &ChunkLine| Records {
        source_index,
        source: candidate.name.clone(),
        first: chunk.first_record,
        last: chunk.first_record.saturating_add(chunk.records.saturating_sub(1)),
        first_line: chunk.first_line,
        last_line: chunk.first_line.saturating_add(chunk.lines.saturating_sub(1)),
    };
    OpenJob {
        stored: report::merge(stored.iter().filter(|chunk| chunk.records > 0).map(records).collect()),
        fence: fence(ledger, line),
        is_lasting: candidate.identity.is_some(),
        step: line.step,
        resumed: Totals::of(stored),
        name: candidate.name,
        named: candidate.named,
        lines: Vec::new(),
        claim: None,
        undoes: None,
    }
}

fn fence(ledger: &Ledger, line: &JobLine) -> Fence {
    Fence { ledger: ledger.clone(), job: line.id, epoch: line.epoch }
}

fn totals(connection: &mut Connection, fence: &Fence) -> Result<Totals> {
    Totals::parse(&sql::first_row(connection, &fence.totals_query())?)
}

fn cannot_open(error: Error) -> Error {
    error.while_doing("cannot open the ledger of the load")
}

const LOOK_AGAIN_SECONDS: u32 = 5;

/// As a lane's session has it.
const LOAD_LOCK_WAIT_SECONDS: u32 = 50;
