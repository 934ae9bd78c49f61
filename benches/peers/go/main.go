// The Go driver (go-sql-driver/mysql), inserting a CSV of bench_users: many rows a statement, a transaction for every 64,000 rows.
//
//	peer interpolated|prepared FILE TABLE HOST PORT USER ROWS
//
// The password is in PEER_PASSWORD. `interpolated` lets the driver write the values into the statement (interpolateParams, which
// saves the round trips of preparing); `prepared` binds them to one statement that is prepared once.
package main

import (
	"bufio"
	"database/sql"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
)

const commitRows = 64000

func main() {
	mode, file, table, rowsText := os.Args[1], os.Args[2], os.Args[3], os.Args[7]
	rows, err := strconv.Atoi(rowsText)
	check(err)
	config := mysql.NewConfig()
	config.Net, config.Addr = "tcp", os.Args[4]+":"+os.Args[5]
	config.User, config.Passwd = os.Args[6], os.Getenv("PEER_PASSWORD")
	config.InterpolateParams = mode == "interpolated"
	db, err := sql.Open("mysql", config.FormatDSN())
	check(err)
	db.SetMaxOpenConns(1)

	head := fmt.Sprintf("INSERT INTO %s (id,name,age,email,score,created) VALUES ", table)
	full := head + strings.TrimSuffix(strings.Repeat("(?,?,?,?,?,?),", rows), ",")
	var prepared *sql.Stmt
	if mode == "prepared" {
		prepared, err = db.Prepare(full)
		check(err)
	}
	input, err := os.Open(file)
	check(err)
	lines := bufio.NewScanner(bufio.NewReaderSize(input, 1<<20))
	lines.Scan()

	args := make([]any, 0, 6*rows)
	inTransaction := 0
	tx, err := db.Begin()
	check(err)
	flush := func() {
		n := len(args) / 6
		switch {
		case n == rows && prepared != nil:
			_, err = tx.Stmt(prepared).Exec(args...)
		case n == rows:
			_, err = tx.Exec(full, args...)
		case n > 0:
			_, err = tx.Exec(head+strings.TrimSuffix(strings.Repeat("(?,?,?,?,?,?),", n), ","), args...)
		}
		check(err)
		args = args[:0]
		inTransaction += n
	}
	for lines.Scan() {
		cells := strings.Split(lines.Text(), ",")
		id, err := strconv.ParseInt(cells[0], 10, 64)
		check(err)
		age, err := strconv.ParseInt(cells[2], 10, 32)
		check(err)
		score, err := strconv.ParseFloat(cells[4], 64)
		check(err)
		args = append(args, id, cells[1], age, cells[3], score, cells[5])
		if len(args) == 6*rows {
			flush()
		}
		if inTransaction >= commitRows {
			check(tx.Commit())
			tx, err = db.Begin()
			check(err)
			inTransaction = 0
		}
	}
	check(lines.Err())
	flush()
	check(tx.Commit())
	check(db.Close())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
