INSERT INTO student (id, name) VALUES (:s, :n);
