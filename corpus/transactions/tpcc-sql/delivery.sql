-- One district; the ten of the specification are ten such transactions.
SELECT min(no_o_id) INTO :o FROM new_order WHERE no_w_id = :w AND no_d_id = :d;
DELETE FROM new_order WHERE no_w_id = :w AND no_d_id = :d AND no_o_id = :o;
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w AND o_d_id = :d AND o_id = :o RETURNING o_c_id INTO :c;
UPDATE order_line SET ol_delivery_d = :today WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o;
SELECT sum(ol_amount) INTO :total FROM order_line WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o;
UPDATE customer SET c_balance = c_balance + :total, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
