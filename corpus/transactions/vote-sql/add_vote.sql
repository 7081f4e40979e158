SELECT active INTO :a FROM contestants WHERE number = :c;
SELECT count(*) INTO :used FROM votes WHERE phone = :p;
SELECT state INTO :s FROM area_code_state WHERE area_code = :area;
IF :a AND :used < :most THEN
    INSERT INTO votes (id, phone, state, contestant) VALUES (:v, :p, :s, :c);
END IF;
