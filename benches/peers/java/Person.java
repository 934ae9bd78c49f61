// A row of bench_users, with values as a program has them.

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;

class Person {
    static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

    long id;
    String name;
    int age;
    String email;
    double score;
    LocalDateTime created;

    static List<Person> read(String file) throws Exception {
        List<Person> people = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(file))) {
            String[] cells = line.split("\t");
            Person person = new Person();
            person.id = Long.parseLong(cells[0]);
            person.name = cells[1];
            person.age = Integer.parseInt(cells[2]);
            person.email = cells[3].equals("\\N") ? null : cells[3];
            person.score = Double.parseDouble(cells[4]);
            person.created = LocalDateTime.parse(cells[5], MOMENT);
            people.add(person);
        }
        return people;
    }
}
