-- The five transactions of TPC-C. Customers are chosen by number, and every line of an order is supplied by its own warehouse.
-- That TPC-C is robust against snapshot isolation is known, but not shown here: two deliveries that see the same new orders choose the same one, and which one a
-- condition chooses is not followed. The answer is "perhaps not robust".
-- expect(robust, model = ssi)

CREATE TABLE warehouse (
    w_id int PRIMARY KEY,
    w_name text,
    w_tax numeric,
    w_ytd numeric
);
CREATE TABLE district (
    d_w_id int REFERENCES warehouse (w_id),
    d_id int,
    d_name text,
    d_tax numeric,
    d_ytd numeric,
    d_next_o_id int,
    PRIMARY KEY (d_w_id, d_id)
);
CREATE TABLE customer (
    c_w_id int,
    c_d_id int,
    c_id int,
    c_last text,
    c_credit text,
    c_discount numeric,
    c_balance numeric,
    c_ytd_payment numeric,
    c_payment_cnt int,
    c_delivery_cnt int,
    c_data text,
    PRIMARY KEY (c_w_id, c_d_id, c_id),
    FOREIGN KEY (c_w_id, c_d_id) REFERENCES district (d_w_id, d_id)
);
CREATE TABLE history (
    h_id int PRIMARY KEY,
    h_c_w_id int,
    h_c_d_id int,
    h_c_id int,
    h_amount numeric
);
CREATE TABLE orders (
    o_w_id int,
    o_d_id int,
    o_id int,
    o_c_id int,
    o_carrier_id int,
    o_ol_cnt int,
    PRIMARY KEY (o_w_id, o_d_id, o_id)
);
CREATE TABLE new_order (
    no_w_id int,
    no_d_id int,
    no_o_id int,
    PRIMARY KEY (no_w_id, no_d_id, no_o_id)
);
CREATE TABLE item (
    i_id int PRIMARY KEY,
    i_name text,
    i_price numeric
);
CREATE TABLE stock (
    s_w_id int,
    s_i_id int REFERENCES item (i_id),
    s_quantity int,
    s_ytd numeric,
    s_order_cnt int,
    s_dist text,
    PRIMARY KEY (s_w_id, s_i_id)
);
CREATE TABLE order_line (
    ol_w_id int,
    ol_d_id int,
    ol_o_id int,
    ol_number int,
    ol_i_id int,
    ol_delivery_d date,
    ol_quantity int,
    ol_amount numeric,
    PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
);
