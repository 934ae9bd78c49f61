//! Bytes <-> packets, a packet a file. Encoders append to the caller's buffer; decoders borrow, are checked, and are named
//! after their packet. No order of packets in here (that is `session`), no meaning of values (that is `value`).
