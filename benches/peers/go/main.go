// The Go driver (go-sql-driver/mysql): a peer of `inrush bench` (docs/schema/peers-1.md).
//
// `multi-row` lets the driver write the values into statements of many rows: interpolateParams, of which its README says that it
// "reduces the number of roundtrips" (preparing, executing and closing become one). `multi-row-prepared` binds them
// to one statement that is prepared once. `load-data` is LOAD DATA LOCAL INFILE from an io.Reader (README, "LOAD DATA LOCAL INFILE
// support": mysql.RegisterReaderHandler), the rows written as text while the clock runs.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"
)

const (
	columns = "(id,name,age,email,score,created)"
	// A statement takes 65,535 values.
	mostBoundRows = 65535 / 6
)

type server struct {
	Host, User, Database string
	Port                 int
	Socket               *string
	TLS                  bool
}

type message struct {
	Op            string
	Server        server
	File          string
	Subject       string
	Commits       string
	Table         string
	Rows          int
	First         int
	StatementRows int `json:"statement_rows"`
	Cap           float64
}

type person struct {
	id      int64
	name    string
	age     int32
	email   *string
	score   float64
	created time.Time
}

type peer struct {
	conn   *sql.Conn
	people []person
}

func main() {
	say(map[string]any{
		"protocol": 1, "peer": "go-sql-driver", "version": version(), "routes": []string{"tcp", "tls", "socket"},
		"cases": []any{offer("multi-row"), offer("multi-row-prepared"), offer("load-data", "local-infile")},
	})
	lines := bufio.NewScanner(os.Stdin)
	var peer peer
	for lines.Scan() {
		answer, err := peer.obey(lines.Bytes())
		if err != nil {
			answer = map[string]any{"error": err.Error()}
		}
		say(answer)
	}
}

func offer(way string, needs ...string) map[string]any {
	return map[string]any{"subject": "go-sql-driver " + way, "commits": []string{"each", "once"}, "needs": append([]string{}, needs...)}
}

func (peer *peer) obey(line []byte) (map[string]any, error) {
	var message message
	if err := json.Unmarshal(line, &message); err != nil {
		return nil, err
	}
	switch message.Op {
	case "prepare":
		return peer.prepare(&message)
	case "run":
		return peer.run(&message)
	}
	return nil, errors.New("an op that is not known: " + message.Op)
}

func (peer *peer) prepare(message *message) (map[string]any, error) {
	config := mysql.NewConfig()
	to := message.Server
	config.Net, config.Addr = "tcp", to.Host+":"+strconv.Itoa(to.Port)
	if to.Socket != nil {
		config.Net, config.Addr = "unix", *to.Socket
	}
	config.User, config.Passwd, config.DBName = to.User, os.Getenv("INRUSH_PASSWORD"), to.Database
	config.InterpolateParams = true
	if to.TLS {
		config.TLS = &tls.Config{InsecureSkipVerify: true}
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	if peer.conn, err = sql.OpenDB(connector).Conn(context.Background()); err != nil {
		return nil, err
	}
	if peer.people, err = read(message.File); err != nil {
		return nil, err
	}
	return map[string]any{"ready": len(peer.people)}, nil
}

func (peer *peer) run(message *message) (map[string]any, error) {
	if message.First < 1 || message.First-1+message.Rows > len(peer.people) {
		return nil, errors.New("more rows than the file has")
	}
	people := peer.people[message.First-1:][:message.Rows]
	way, err := peer.way(message)
	if err != nil {
		return nil, err
	}
	defer way.close()
	limit := time.Duration(message.Cap * float64(time.Second))
	ctx := context.Background()
	user, system := cpu()
	start := time.Now()
	var tx *sql.Tx
	if message.Commits == "once" {
		if tx, err = peer.conn.BeginTx(ctx, nil); err != nil {
			return nil, err
		}
	}
	stored := 0
	for stored < len(people) && time.Since(start) < limit {
		n := min(way.rows, len(people)-stored)
		if err := way.insert(people[stored:][:n]); err != nil {
			return nil, err
		}
		stored += n
	}
	if tx != nil {
		if err := tx.Commit(); err != nil {
			return nil, err
		}
	}
	seconds := time.Since(start).Seconds()
	userAfter, systemAfter := cpu()
	user, system = userAfter-user, systemAfter-system
	answer := map[string]any{"seconds": seconds, "rows": stored, "cut": stored < len(people), "client_cpu": user + system, "client_user": user}
	return answer, nil
}

// A way to write at most `rows` rows at a time.
type way struct {
	rows   int
	insert func([]person) error
	close  func()
}

func (peer *peer) way(message *message) (*way, error) {
	ctx := context.Background()
	head := "INSERT INTO " + message.Table + " " + columns + " VALUES "
	rows := min(message.StatementRows, message.Rows)
	nothing := func() {}
	switch message.Subject {
	case "go-sql-driver load-data":
		var text bytes.Buffer
		mysql.RegisterReaderHandler("rows", func() io.Reader { return &text })
		load := "LOAD DATA LOCAL INFILE 'Reader::rows' INTO TABLE " + message.Table + " CHARACTER SET utf8mb4 " + columns
		insert := func(people []person) error {
			text.Reset()
			for i := range people {
				people[i].write(&text)
			}
			_, err := peer.conn.ExecContext(ctx, load)
			return err
		}
		return &way{rows, insert, func() { mysql.DeregisterReaderHandler("rows") }}, nil
	case "go-sql-driver multi-row":
		full, args := head+places(rows), make([]any, 0, 6*rows)
		insert := func(people []person) error {
			statement := full
			if len(people) < rows {
				statement = head + places(len(people))
			}
			args = bind(args[:0], people)
			_, err := peer.conn.ExecContext(ctx, statement, args...)
			return err
		}
		return &way{rows, insert, nothing}, nil
	case "go-sql-driver multi-row-prepared":
		rows = min(rows, mostBoundRows)
		full, err := peer.conn.PrepareContext(ctx, head+places(rows))
		if err != nil {
			return nil, err
		}
		args := make([]any, 0, 6*rows)
		insert := func(people []person) error {
			args = bind(args[:0], people)
			if len(people) == rows {
				_, err := full.ExecContext(ctx, args...)
				return err
			}
			_, err := peer.conn.ExecContext(ctx, head+places(len(people)), args...)
			return err
		}
		return &way{rows, insert, func() { full.Close() }}, nil
	}
	return nil, errors.New("a subject that is not known: " + message.Subject)
}

func places(rows int) string {
	return strings.TrimSuffix(strings.Repeat("(?,?,?,?,?,?),", rows), ",")
}

func bind(args []any, people []person) []any {
	for i := range people {
		p := &people[i]
		args = append(args, p.id, p.name, p.age, p.email, p.score, p.created)
	}
	return args
}

var escaped = strings.NewReplacer("\\", "\\\\", "\t", "\\t", "\n", "\\n")

// As LOAD DATA reads it by default.
func (p *person) write(text *bytes.Buffer) {
	email := "\\N"
	if p.email != nil {
		email = escaped.Replace(*p.email)
	}
	text.WriteString(strconv.FormatInt(p.id, 10))
	text.WriteByte('\t')
	escaped.WriteString(text, p.name)
	fmt.Fprintf(text, "\t%d\t%s\t%s\t", p.age, email, strconv.FormatFloat(p.score, 'g', -1, 64))
	text.Write(p.created.AppendFormat(text.AvailableBuffer(), time.DateTime))
	text.WriteByte('\n')
}

func read(path string) ([]person, error) {
	all, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var people []person
	for line := range strings.Lines(string(all)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 6 {
			return nil, errors.New("not a line of bench_users: " + line)
		}
		id, err1 := strconv.ParseInt(cells[0], 10, 64)
		age, err2 := strconv.ParseInt(cells[2], 10, 32)
		score, err3 := strconv.ParseFloat(cells[4], 64)
		created, err4 := time.Parse(time.DateTime, cells[5])
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return nil, err
		}
		email := &cells[3]
		if *email == "\\N" {
			email = nil
		}
		people = append(people, person{id, cells[1], int32(age), email, score, created})
	}
	return people, nil
}

// cpu is what the process has used, outside and inside the kernel.
func cpu() (user, system float64) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return float64(usage.Utime.Nano()) / 1e9, float64(usage.Stime.Nano()) / 1e9
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "github.com/go-sql-driver/mysql" {
				return strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return "unknown"
}

func say(answer map[string]any) {
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		log.Fatal(err)
	}
}
