SELECT w_tax INTO :w_tax FROM warehouse WHERE w_id = :w;
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d RETURNING d_next_o_id, d_tax INTO :o, :d_tax;
SELECT c_discount, c_last, c_credit INTO :discount, :last, :credit FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_ol_cnt) VALUES (:w, :d, :o, :c, :n);
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (:w, :d, :o);
FOR :i IN :items LOOP
    SELECT i_price, i_name INTO :price, :name FROM item WHERE i_id = :i;
    SELECT s_quantity, s_dist INTO :quantity, :dist FROM stock WHERE s_w_id = :w AND s_i_id = :i FOR UPDATE;
    UPDATE stock SET s_quantity = :quantity - :q, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w AND s_i_id = :i;
    INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_quantity, ol_amount)
    VALUES (:w, :d, :o, :number, :i, :q, :q * :price);
END LOOP;
