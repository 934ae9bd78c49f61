//! The length of InnoDB's history list: undo logs that are not purged yet. MySQL has it in a counter, for which a user needs the right PROCESS.

use super::{Rules, Unit};

pub(super) const RULES: Rules = Rules {
    name: "history",
    unit: Unit::Number,
    variables: &[HISTORY],
    query: Some(
        "SELECT 'Innodb_history_list_length', COUNT FROM information_schema.INNODB_METRICS \
         WHERE NAME = 'trx_rseg_history_len' AND STATUS = 'enabled'",
    ),
    value: |now, _| now.get(HISTORY),
};

const HISTORY: &str = "Innodb_history_list_length";
