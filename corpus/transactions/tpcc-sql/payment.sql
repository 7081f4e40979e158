UPDATE warehouse SET w_ytd = w_ytd + :amount WHERE w_id = :w RETURNING w_name INTO :w_name;
UPDATE district SET d_ytd = d_ytd + :amount WHERE d_w_id = :w AND d_id = :d RETURNING d_name INTO :d_name;
UPDATE customer SET c_balance = c_balance - :amount, c_ytd_payment = c_ytd_payment + :amount, c_payment_cnt = c_payment_cnt + 1
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c
RETURNING c_last, c_credit INTO :last, :credit;
IF :credit = 'BC' THEN
    UPDATE customer SET c_data = :data WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
END IF;
INSERT INTO history (h_id, h_c_w_id, h_c_d_id, h_c_id, h_amount) VALUES (:h, :w, :d, :c, :amount);
