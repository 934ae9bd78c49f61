//! Definitions as servers print them, a table of each kind of index, and names that try to look like something else.

use crate::load::steps::indexes::*;

const CREATE: &str = r"CREATE TABLE `x(,` (
  `id` int NOT NULL AUTO_INCREMENT,
  `a` varchar(20) DEFAULT 'KEY `q` (`a`)' COMMENT 'it''s, (x)',
  `b,)` text,
  PRIMARY KEY (`id`),
  UNIQUE KEY `ud` (`d`,`id`),
  KEY `ka` (`a`(5) DESC,`d`),
  KEY `k``d, (` (`d`) USING BTREE COMMENT 'c, ''d'' \\ \n',
  KEY `kf` ((`d` + 1)),
  KEY `ki` (`d`) /*!80000 INVISIBLE */,
  SPATIAL KEY `sg` (`g`),
  FULLTEXT KEY `fb` (`b,)`) /*!50100 WITH PARSER `ngram` */ ,
  VECTOR KEY `v` (`v`) `M`=8,
  CONSTRAINT `fk` FOREIGN KEY (`d`) REFERENCES `p` (`id`),
  CONSTRAINT `c` CHECK ((`d` > 0))
) ENGINE=InnoDB COMMENT='KEY `no` (`a`)'";

#[test]
fn every_kind_is_found_and_nothing_else() {
    let indexes = Index::of_table(CREATE);
    let names: Vec<_> = indexes.iter().map(|index| index.name.as_str()).collect();
    assert_eq!(names, ["ka", "k`d, (", "kf", "ki", "sg", "fb", "v"]);
    assert_eq!(indexes[1].definition, r"KEY `k``d, (` (`d`) USING BTREE COMMENT 'c, ''d'' \\ \n'");
    assert_eq!(indexes[4 - 1].definition, "KEY `ki` (`d`) INVISIBLE");
    assert_eq!(indexes[5].definition, "FULLTEXT KEY `fb` (`b,)`) WITH PARSER `ngram`");
}

#[test]
fn keys_are_told_from_the_rest() {
    let all = Index::all_of_table(CREATE);
    let keys: Vec<_> = all.iter().filter(|index| index.unique.is_some()).collect();
    let told: Vec<_> = keys.iter().map(|key| (key.definition.as_str(), key.is_primary())).collect();
    assert_eq!(told, [("PRIMARY KEY (`id`)", true), ("UNIQUE KEY `ud` (`d`,`id`)", false)]);
    assert_eq!(drops(&all[..2]), "DROP PRIMARY KEY, DROP INDEX `ud`");
    let unique = Index::all_of_table("CREATE TABLE `t` (UNIQUE KEY `u` (`a`(3) DESC,`b` DESC,((`c` + 1)))) x");
    assert_eq!(unique[0].unique.clone().unwrap(), ["LEFT(`a`,3)", "`b`", "((`c` + 1))"]);
}

#[test]
fn what_is_kept_is_read_again() {
    let indexes = Index::all_of_table(CREATE);
    assert_eq!(Index::stored(&add(&indexes)).unwrap(), indexes);
}

/// As earlier versions stored them: in the server's spelling.
#[test]
fn what_older_versions_kept_is_read() {
    let kept = "ADD KEY `a` (`x`(5) DESC,(`y` + 1)) USING BTREE /*!80000 INVISIBLE */,\nADD FULLTEXT KEY `b` (`z`) /*!50100 WITH PARSER `ngram` */ ";
    let indexes = Index::stored(kept).unwrap();
    assert_eq!(
        add(&indexes),
        "ADD KEY `a` (`x`(5) DESC,(`y` + 1)) USING BTREE INVISIBLE,\nADD FULLTEXT KEY `b` (`z`) WITH PARSER `ngram`"
    );
}

#[test]
fn expressions_are_written_anew() {
    for sql in [
        r"KEY `k` ((cast(json_unquote(json_extract(`d`,_utf8mb4'$.x')) as char(30) charset utf8mb4) collate utf8mb4_bin))",
        r"KEY `k` ((`a` + -(1)),`b`(3) DESC,(if((`a` <> 0.5),`b`,'it''s \\ \n')))",
        "KEY `k` (`a`) KEY_BLOCK_SIZE=4 COMMENT 'x'",
        "VECTOR KEY `v` (`v`) `M`=8 `DISTANCE`=cosine",
        "KEY `i` (`a`) IGNORED",
    ] {
        assert_eq!(Definition::parse(sql).map(|definition| definition.sql()).as_deref(), Some(sql));
    }
}

/// Text that others may write into the ledger is not run.
#[test]
fn what_is_no_definition_is_refused() {
    for text in [
        "",
        "x",
        "ADD",
        "ADD KEY",
        "KEY `a` (`x`)",
        "ADD KEY `a` (`x`),",
        "ADD KEY `a` (`x`), DROP COLUMN `w`",
        "ADD KEY `a` (`x`), RENAME TO `other`.`loot`",
        "ADD KEY `a` (`x`) /*(*/, DROP COLUMN `w`, RENAME TO `other`.`loot` /*)*/",
        "ADD KEY `a` /*(*/ (`x`)",
        "ADD KEY `a` (`x`) /*!80000 INVISIBLE, DROP COLUMN `w` */",
        "ADD KEY `a` (`x`) /*!80000 INVISIBLE */ /*!50100 DROP COLUMN `w` */",
        "ADD KEY `a` (`x`) INVISIBLE; DROP TABLE `t`",
        "ADD KEY `a` (`x`) COMMENT 'c' , DROP COLUMN `w`",
        "ADD KEY `a` (`x`) COMMENT 'c\\q'",
        "ADD KEY `a` (`x`) COMMENT \"c\"",
        "ADD UNIQUE `a` (`x`)",
        "ADD PRIMARY KEY `a` (`x`)",
        "ADD COLUMN `a` (`x`)",
        "ADD KEY `` (`x`)",
        "ADD KEY `a` ()",
        "ADD KEY `a` (x)",
        "ADD KEY `a` (`x`) -- ",
        "ADD KEY `a` (`x`) #",
        "ADD KEY `a` ((`x` -- 1))",
        "ADD KEY `a` ((`x` /* ) */ ))",
        "ADD KEY `a` ((@x))",
        "ADD KEY `a` ((1;2))",
        "ADD KEY `a` ((select 1))",
        "ADD KEY `a` ((1)",
        "ADD KEY `a` (()",
        "ADD KEY `a` (`x`) `comment`='x'",
        "ADD KEY `a` (`x`) `M`=8x",
        "ADD KEY `a` (`x`) ENGINE_ATTRIBUTE '{}'",
    ] {
        let error = Index::stored(text).expect_err(text);
        assert_eq!(error.kind(), Kind::Guarantee, "{text}");
    }
}

#[test]
fn an_index_that_is_not_understood_stays() {
    let create = "CREATE TABLE `t` (KEY `a` (`x`) CLUSTERING=YES, KEY `b` (`y`))";
    let names: Vec<String> = Index::of_table(create).into_iter().map(|index| index.name).collect();
    assert_eq!(names, ["b"]);
}

#[test]
fn those_that_something_needs_stay() {
    let indexes = Index::of_table(CREATE);
    let needed = ["D".to_owned()];
    let going: Vec<_> = indexes.iter().filter(|index| index.may_go(&needed)).map(|i| i.name.as_str()).collect();
    assert_eq!(going, ["ka", "kf", "sg", "fb", "v"]);
}

#[test]
fn statements() {
    let indexes = &Index::of_table(CREATE)[..2];
    assert_eq!(drop_statement("`t`", indexes), "ALTER TABLE `t` DROP INDEX `ka`, DROP INDEX `k``d, (`");
    assert_eq!(add_statements("`t`", &indexes[..1]), ["ALTER TABLE `t` ADD KEY `ka` (`a`(5) DESC,`d`)"]);
    assert_eq!(missing(indexes, &indexes[1..]), indexes[..1]);
}

#[test]
fn fulltext_indexes_are_made_one_at_a_time() {
    let create = "CREATE TABLE `t` (FULLTEXT KEY `a` (`x`), FULLTEXT KEY `b` (`y`), KEY `c` (`z`))";
    let want = [
        "ALTER TABLE `t` ADD FULLTEXT KEY `a` (`x`),\nADD KEY `c` (`z`)",
        "ALTER TABLE `t` ADD FULLTEXT KEY `b` (`y`)",
    ];
    assert_eq!(add_statements("`t`", &Index::of_table(create)), want);
}

#[test]
fn nonsense_is_no_index() {
    for text in ["", "(", "CREATE TABLE t (KEY `", "CREATE VIEW v AS SELECT 1", "x (KEY `a", "x (KEY `a`)"] {
        assert!(Index::of_table(text).len() <= 1, "{text}");
    }
}
