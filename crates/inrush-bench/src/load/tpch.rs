//! The tables of TPC-H: how they are defined, and their rows, which `tpchgen` makes. Pure.

use inrush::sans_io::Result;
use std::fmt::Display;
use tpchgen::csv::{CustomerCsv, LineItemCsv, NationCsv, OrderCsv, PartCsv, PartSuppCsv, RegionCsv, SupplierCsv};
use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator, PartSuppGenerator,
    RegionGenerator, SupplierGenerator,
};

/// One of the eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tpch {
    /// 5 rows at any scale.
    Region,
    /// 25 rows at any scale.
    Nation,
    /// 10,000 rows at scale 1.
    Supplier,
    /// 150,000.
    Customer,
    /// 200,000.
    Part,
    /// 800,000.
    PartSupp,
    /// 1,500,000.
    Orders,
    /// 6,001,215.
    LineItem,
}

impl Tpch {
    /// As on the command line.
    pub const NAMES: [&str; 8] = ["region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"];

    /// The table of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        use Tpch::{Customer, LineItem, Nation, Orders, Part, PartSupp, Region, Supplier};
        let all = [Region, Nation, Supplier, Customer, Part, PartSupp, Orders, LineItem];
        Self::NAMES.iter().position(|known| *known == name).map(|at| all[at])
    }

    /// The columns, with commas.
    pub(super) fn header(self) -> &'static str {
        match self {
            Tpch::Region => RegionCsv::header(),
            Tpch::Nation => NationCsv::header(),
            Tpch::Supplier => SupplierCsv::header(),
            Tpch::Customer => CustomerCsv::header(),
            Tpch::Part => PartCsv::header(),
            Tpch::PartSupp => PartSuppCsv::header(),
            Tpch::Orders => OrderCsv::header(),
            Tpch::LineItem => LineItemCsv::header(),
        }
    }

    /// The columns with their types, and the key.
    pub(super) fn ddl(self) -> &'static str {
        match self {
            Tpch::Region => {
                "r_regionkey BIGINT NOT NULL PRIMARY KEY, r_name CHAR(25) NOT NULL, r_comment VARCHAR(152) NOT NULL"
            }
            Tpch::Nation => {
                "n_nationkey BIGINT NOT NULL PRIMARY KEY, n_name CHAR(25) NOT NULL, n_regionkey BIGINT NOT NULL, \
                 n_comment VARCHAR(152) NOT NULL"
            }
            Tpch::Supplier => {
                "s_suppkey BIGINT NOT NULL PRIMARY KEY, s_name CHAR(25) NOT NULL, s_address VARCHAR(40) NOT NULL, \
                 s_nationkey BIGINT NOT NULL, s_phone CHAR(15) NOT NULL, s_acctbal DECIMAL(15,2) NOT NULL, \
                 s_comment VARCHAR(101) NOT NULL"
            }
            Tpch::Customer => {
                "c_custkey BIGINT NOT NULL PRIMARY KEY, c_name VARCHAR(25) NOT NULL, c_address VARCHAR(40) NOT NULL, \
                 c_nationkey BIGINT NOT NULL, c_phone CHAR(15) NOT NULL, c_acctbal DECIMAL(15,2) NOT NULL, \
                 c_mktsegment CHAR(10) NOT NULL, c_comment VARCHAR(117) NOT NULL"
            }
            Tpch::Part => {
                "p_partkey BIGINT NOT NULL PRIMARY KEY, p_name VARCHAR(55) NOT NULL, p_mfgr CHAR(25) NOT NULL, \
                 p_brand CHAR(10) NOT NULL, p_type VARCHAR(25) NOT NULL, p_size INT NOT NULL, p_container CHAR(10) NOT NULL, \
                 p_retailprice DECIMAL(15,2) NOT NULL, p_comment VARCHAR(23) NOT NULL"
            }
            Tpch::PartSupp => {
                "ps_partkey BIGINT NOT NULL, ps_suppkey BIGINT NOT NULL, ps_availqty INT NOT NULL, \
                 ps_supplycost DECIMAL(15,2) NOT NULL, ps_comment VARCHAR(199) NOT NULL, PRIMARY KEY (ps_partkey, ps_suppkey)"
            }
            Tpch::Orders => {
                "o_orderkey BIGINT NOT NULL PRIMARY KEY, o_custkey BIGINT NOT NULL, o_orderstatus CHAR(1) NOT NULL, \
                 o_totalprice DECIMAL(15,2) NOT NULL, o_orderdate DATE NOT NULL, o_orderpriority CHAR(15) NOT NULL, \
                 o_clerk CHAR(15) NOT NULL, o_shippriority INT NOT NULL, o_comment VARCHAR(79) NOT NULL"
            }
            Tpch::LineItem => {
                "l_orderkey BIGINT NOT NULL, l_partkey BIGINT NOT NULL, l_suppkey BIGINT NOT NULL, l_linenumber INT NOT NULL, \
                 l_quantity DECIMAL(15,2) NOT NULL, l_extendedprice DECIMAL(15,2) NOT NULL, l_discount DECIMAL(15,2) NOT NULL, \
                 l_tax DECIMAL(15,2) NOT NULL, l_returnflag CHAR(1) NOT NULL, l_linestatus CHAR(1) NOT NULL, \
                 l_shipdate DATE NOT NULL, l_commitdate DATE NOT NULL, l_receiptdate DATE NOT NULL, \
                 l_shipinstruct CHAR(25) NOT NULL, l_shipmode CHAR(10) NOT NULL, l_comment VARCHAR(44) NOT NULL, \
                 PRIMARY KEY (l_orderkey, l_linenumber)"
            }
        }
    }

    /// Returns each row: with a bar after each field, and as CSV.
    ///
    /// # Errors
    /// Those of `take`.
    pub(super) fn lines(self, scale: f64, take: impl FnMut(&str, &str) -> Result<()>) -> Result<()> {
        match self {
            Tpch::Region => each(RegionGenerator::new(scale, 1, 1).iter(), RegionCsv::new, take),
            Tpch::Nation => each(NationGenerator::new(scale, 1, 1).iter(), NationCsv::new, take),
            Tpch::Supplier => each(SupplierGenerator::new(scale, 1, 1).iter(), SupplierCsv::new, take),
            Tpch::Customer => each(CustomerGenerator::new(scale, 1, 1).iter(), CustomerCsv::new, take),
            Tpch::Part => each(PartGenerator::new(scale, 1, 1).iter(), PartCsv::new, take),
            Tpch::PartSupp => each(PartSuppGenerator::new(scale, 1, 1).iter(), PartSuppCsv::new, take),
            Tpch::Orders => each(OrderGenerator::new(scale, 1, 1).iter(), OrderCsv::new, take),
            Tpch::LineItem => each(LineItemGenerator::new(scale, 1, 1).iter(), LineItemCsv::new, take),
        }
    }
}

fn each<R: Display, C: Display>(
    rows: impl Iterator<Item = R>,
    csv: impl Fn(R) -> C,
    mut take: impl FnMut(&str, &str) -> Result<()>,
) -> Result<()> {
    for row in rows {
        let text = row.to_string();
        take(&text, &csv(row).to_string())?;
    }
    Ok(())
}
