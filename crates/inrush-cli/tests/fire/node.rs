//! The nodes of a cluster, which are killed and started again.

use crate::session::await_true;
use inrush_testkit::servers::Server;
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// The nodes of a cluster, by their numbers from 0 on.
pub(crate) struct Nodes {
    nodes: Vec<Server>,
    /// What is started again, as it was started.
    commands: Vec<Command>,
    /// Those that were started here.
    children: HashMap<usize, Child>,
}

impl Nodes {
    pub(crate) fn of(nodes: Vec<Server>) -> Self {
        let commands = nodes.iter().map(command_of).collect();
        Self { nodes, commands, children: HashMap::new() }
    }

    pub(crate) fn name(&self) -> &str {
        &self.nodes[0].name
    }

    pub(crate) fn get(&self, number: usize) -> &Server {
        &self.nodes[number]
    }

    /// `kill -9`.
    pub(crate) fn kill(&mut self, number: usize) {
        let pid = self.nodes[number].pid.to_string();
        assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
        if let Some(mut child) = self.children.remove(&number) {
            child.wait().unwrap();
        }
    }

    /// Starts a node that was killed, and waits until it is part of its cluster again.
    pub(crate) fn revive(&mut self, number: usize) {
        let home = self.nodes[number].socket.parent().unwrap().to_owned();
        let child = self.commands[number].spawn().unwrap();
        fs::write(home.join("pid"), format!("{}\n", child.id())).unwrap();
        self.nodes[number].pid = i32::try_from(child.id()).unwrap();
        self.children.insert(number, child);
        let node = &self.nodes[number];
        await_true("a node that answers", || node.try_sql("SELECT 1").is_ok());
        if !self.is_galera() {
            // It leaves by itself where it was expelled; it may also have to wait until that is done.
            await_true("a member that joins", || node.try_sql("START GROUP_REPLICATION").is_ok());
        }
        await_true("a node that is part of its cluster", || self.is_member(number));
    }

    /// The member that takes writes now, of a group with one primary.
    pub(crate) fn primary(&self) -> Option<usize> {
        let role = "SELECT MEMBER_ROLE FROM performance_schema.replication_group_members \
                    WHERE MEMBER_ID = @@server_uuid AND MEMBER_STATE = 'ONLINE'";
        let is_primary = |node: &Server| node.try_sql(role).is_ok_and(|rows| rows == [["PRIMARY"]]);
        (0..self.nodes.len()).find(|number| is_primary(&self.nodes[*number]) && self.takes_writes(*number))
    }

    /// Whether the node is part of a cluster that has a majority, and not read-only.
    pub(crate) fn takes_writes(&self, number: usize) -> bool {
        let node = &self.nodes[number];
        let is_writable = match self.is_galera() {
            true => node.try_sql("SHOW STATUS LIKE 'wsrep_ready'").is_ok_and(|rows| rows == [["wsrep_ready", "ON"]]),
            false => node.try_sql("SELECT @@super_read_only").is_ok_and(|rows| rows == [["0"]]),
        };
        // A node that does not know yet that another one is gone cannot commit.
        is_writable && node.try_sql("CREATE DATABASE IF NOT EXISTS probe; DROP DATABASE probe").is_ok()
    }

    fn is_member(&self, number: usize) -> bool {
        let state = match self.is_galera() {
            true => {
                "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'wsrep_local_state_comment'"
            }
            false => {
                "SELECT MEMBER_STATE FROM performance_schema.replication_group_members WHERE MEMBER_ID = @@server_uuid"
            }
        };
        self.nodes[number].try_sql(state).is_ok_and(|rows| rows == [["Synced"]] || rows == [["ONLINE"]])
    }

    fn is_galera(&self) -> bool {
        self.name() == "galera"
    }
}

/// What started a server that runs: its command, user, folder and environment. A node that comes back makes no new cluster.
fn command_of(node: &Server) -> Command {
    let process = PathBuf::from(format!("/proc/{}", node.pid));
    let words = |file: &str| -> Vec<String> {
        let text = fs::read_to_string(process.join(file)).unwrap();
        text.split_terminator('\0').map(ToOwned::to_owned).collect()
    };
    let arguments = words("cmdline");
    let owner = fs::metadata(&process).unwrap();
    let mut command = Command::new(&arguments[0]);
    command.args(arguments[1..].iter().filter(|argument| *argument != "--wsrep-new-cluster"));
    command.env_clear().envs(words("environ").iter().filter_map(|pair| pair.split_once('=')));
    command.uid(owner.uid()).gid(owner.gid()).process_group(0);
    command.current_dir(fs::read_link(process.join("cwd")).unwrap());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}
