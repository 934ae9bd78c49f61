//! Authentication plugins, one a file: from the server's nonce and the password to the bytes of an answer.
