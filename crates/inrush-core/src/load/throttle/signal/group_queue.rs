//! Group Replication: the transactions that a member has not certified or not applied yet, of the member that has most of them.

use super::{Rules, Unit};

pub(super) const RULES: Rules = Rules {
    name: "group-queue",
    unit: Unit::Number,
    variables: &[],
    // NULL on a server that is in no group.
    query: Some(
        "SELECT 'group_queue', MAX(COUNT_TRANSACTIONS_IN_QUEUE + COUNT_TRANSACTIONS_REMOTE_IN_APPLIER_QUEUE) \
         FROM performance_schema.replication_group_member_stats",
    ),
    value: |now, _| now.get("group_queue"),
};
