// The Go driver (go-sql-driver/mysql), inserting rows of bench_users from memory: many rows a statement, a transaction a batch.
//
//	go interpolated|prepared FILE STATEMENT_ROWS WARM_UPS LAPS      the server and the table in PEER_HOST .. PEER_TABLE
//
// `interpolated` lets the driver write the values into the statement (interpolateParams, which saves the round trips of preparing);
// `prepared` binds them to one statement that is prepared once.
package main

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"
)

const warmUpRows = 10000

type person struct {
	id      int64
	name    string
	age     int32
	email   string
	score   float64
	created time.Time
}

type laps struct {
	Seconds []float64 `json:"seconds"`
	User    float64   `json:"user"`
	System  float64   `json:"system"`
}

func main() {
	mode, people := os.Args[1], read(os.Args[2])
	statementRows, nWarmUps, nLaps := min(number(os.Args[3]), len(people)), number(os.Args[4]), number(os.Args[5])
	config := mysql.NewConfig()
	config.Net, config.Addr = "tcp", os.Getenv("PEER_HOST")+":"+os.Getenv("PEER_PORT")
	config.User, config.Passwd = os.Getenv("PEER_USER"), os.Getenv("PEER_PASSWORD")
	config.DBName = os.Getenv("PEER_DATABASE")
	config.InterpolateParams = mode == "interpolated"
	db, err := sql.Open("mysql", config.FormatDSN())
	check(err)
	db.SetMaxOpenConns(1)

	head := fmt.Sprintf("INSERT INTO %s (id,name,age,email,score,created) VALUES ", os.Getenv("PEER_TABLE"))
	full := head + strings.TrimSuffix(strings.Repeat("(?,?,?,?,?,?),", statementRows), ",")
	var prepared *sql.Stmt
	if mode == "prepared" {
		prepared, err = db.Prepare(full)
		check(err)
	}
	args := make([]any, 0, 6*statementRows)
	insert := func(people []person) {
		tx, err := db.Begin()
		check(err)
		bound := prepared
		if bound != nil {
			bound = tx.Stmt(prepared)
		}
		for len(people) > 0 {
			n := min(statementRows, len(people))
			args = args[:0]
			for i := range people[:n] {
				p := &people[i]
				args = append(args, p.id, p.name, p.age, p.email, p.score, p.created)
			}
			switch {
			case n == statementRows && bound != nil:
				_, err = bound.Exec(args...)
			case n == statementRows:
				_, err = tx.Exec(full, args...)
			default:
				_, err = tx.Exec(head+strings.TrimSuffix(strings.Repeat("(?,?,?,?,?,?),", n), ","), args...)
			}
			check(err)
			people = people[n:]
		}
		check(tx.Commit())
	}

	var took laps
	for lap := range nWarmUps + nLaps {
		batch := people
		if lap < nWarmUps {
			batch = people[:min(len(people), warmUpRows)]
		}
		userBefore, systemBefore := cpu()
		start := time.Now()
		insert(batch)
		seconds := time.Since(start).Seconds()
		user, system := cpu()
		if lap >= nWarmUps {
			took.Seconds = append(took.Seconds, seconds)
			took.User += user - userBefore
			took.System += system - systemBefore
		}
		for i := range people {
			people[i].id += int64(len(people))
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(took))
	check(db.Close())
}

func read(path string) (people []person) {
	input, err := os.Open(path)
	check(err)
	lines := bufio.NewScanner(input)
	lines.Scan()
	for lines.Scan() {
		cells := strings.Split(lines.Text(), ",")
		id, err := strconv.ParseInt(cells[0], 10, 64)
		check(err)
		age, err := strconv.ParseInt(cells[2], 10, 32)
		check(err)
		score, err := strconv.ParseFloat(cells[4], 64)
		check(err)
		created, err := time.Parse(time.DateTime, cells[5])
		check(err)
		people = append(people, person{id, cells[1], int32(age), cells[3], score, created})
	}
	check(lines.Err())
	return people
}

// cpu is what the process has used, outside and inside the kernel.
func cpu() (user, system float64) {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()) / 1e9, float64(usage.Stime.Nano()) / 1e9
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	check(err)
	return n
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
