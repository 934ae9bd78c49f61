use super::*;

fn several(order: HostOrder) -> Config {
    Config::new().with_hosts([("a", 1), ("b", 2), ("c", 3)]).with_host_order(order)
}

fn tried(config: &Config) -> String {
    config.candidates().iter().map(Config::address).collect::<Vec<_>>().join(" ")
}

#[test]
fn lists() {
    let check = |list: &str, want: &str| {
        let config = Config::new().with_port(7).with_host_list(list);
        assert_eq!(config.map_or_else(|error| error.message().to_owned(), |config| config.address()), want, "{list}");
    };
    check("db", "db:7");
    check("db:1", "db:1");
    check("", "a list of hosts has an empty name");
    check("::1", "[::1]:7");
    check("a,b", "a:7,b:7");
    check("a:1, b:2 ,c", "a:1,b:2,c:7");
    check("[::1]:4,::2,[::3]", "[::1]:4,[::2]:7,[::3]:7");
    check("a,", "a list of hosts has an empty name");
    check("a,:3", "a list of hosts has an empty name");
    check("a,b:x", "the port of a host is not a number from 0 to 65535");
    check("a,b:99999", "the port of a host is not a number from 0 to 65535");
    check("a,[::1", "a host has a `[` without its `]`");
    check("a,[::1]x", "something other than `:port` follows the `]` of a host");
}

#[test]
fn one_host_replaces_several() {
    let config = several(HostOrder::InOrder).with_host("d");
    assert_eq!((config.address(), config.has_several_hosts()), ("d:3306".into(), false));
}

#[test]
fn a_port_is_of_those_without_one() {
    assert_eq!(several(HostOrder::InOrder).with_port(9).address(), "a:1,b:2,c:3");
    let list = Config::new().with_host_list("a,b:2,c").unwrap().with_port(9);
    assert_eq!((list.address(), list.port()), ("a:9,b:2,c:9".into(), 9));
    let one = Config::new().with_host_list("a:1").unwrap().with_port(9);
    assert_eq!((one.address(), tried(&one), one.port()), ("a:1".into(), "a:1".into(), 1));
}

#[test]
fn a_socket_beside_several_hosts_is_refused() {
    let refused = |config: Config| config.check_hosts().unwrap_err().message().to_owned();
    let both = "both a Unix socket, `/s`, and several hosts, `a:1,b:2,c:3`, are named";
    assert_eq!(refused(several(HostOrder::InOrder).with_socket("/s")), both);
    let in_url = Config::from_url("mysql://a:1,b:2,c:3/shop?socket=/s").unwrap();
    assert_eq!(refused(in_url), both);
    // What is named later replaces the socket.
    let later = Config::new().with_socket("/s").with_host_list("a,b").unwrap();
    assert_eq!((later.check_hosts().is_ok(), later.socket()), (true, None));
    Config::new().with_host("a").with_socket("/s").check_hosts().unwrap();
    several(HostOrder::InOrder).with_host("d").with_socket("/s").check_hosts().unwrap();
}

#[test]
fn the_one_that_was_taken_is_known() {
    let taken = |config: &Config| config.candidates().iter().map(Config::taken_host).collect::<Vec<_>>();
    let config = several(HostOrder::InOrder);
    assert_eq!(taken(&config), [Some("a:1".into()), Some("b:2".into()), Some("c:3".into())]);
    let first = &config.candidates()[0];
    assert_eq!(taken(first), [Some("a:1".into())], "by its own configuration too");
    assert_eq!((config.taken_host(), taken(&Config::new().with_host("a"))), (None, vec![None]));
    assert_eq!(first.clone().with_host("d").taken_host(), None);
}

#[test]
fn what_failed_lately_comes_last() {
    let config = several(HostOrder::InOrder);
    assert_eq!(tried(&config), "a:1 b:2 c:3");
    config.hosts.failed("b:2");
    config.clone().hosts.failed("a:1");
    assert_eq!(tried(&config), "c:3 b:2 a:1");
    config.hosts.failed("b:2");
    assert_eq!(tried(&config), "c:3 a:1 b:2");
    assert_eq!(tried(&several(HostOrder::InOrder)), "a:1 b:2 c:3", "another configuration has seen nothing");
}

#[test]
fn round_robin_begins_with_each_in_turn() {
    let config = several(HostOrder::RoundRobin);
    let firsts: Vec<_> = (0..6).map(|_| config.clone().candidates()[0].address()).collect();
    assert_eq!(firsts[..3], firsts[3..]);
    let mut sorted = firsts[..3].to_vec();
    sorted.sort();
    assert_eq!(sorted, ["a:1", "b:2", "c:3"]);
}

#[test]
fn words() {
    assert_eq!("Round-Robin".parse::<HostOrder>().unwrap(), HostOrder::RoundRobin);
    assert_eq!("in-order".parse::<HostOrder>().unwrap(), HostOrder::InOrder);
    assert_eq!("writable".parse::<ServerRole>().unwrap(), ServerRole::Writable);
    assert_eq!("read-only".parse::<ServerRole>().unwrap(), ServerRole::ReadOnly);
    assert_eq!("any".parse::<ServerRole>().unwrap(), ServerRole::Any);
    assert!("first".parse::<HostOrder>().unwrap_err().hint().unwrap().contains("round-robin"));
    assert!("primary".parse::<ServerRole>().unwrap_err().hint().unwrap().contains("writable"));
}
