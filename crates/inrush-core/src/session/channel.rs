//! One connection without its socket: the two buffers, the session, and the single path by which a conversation continues.

use crate::error::{Class, Error, Kind, Result};
use crate::session::{Conversation, Session, Step, Transport};
use crate::wire::{Compression, ErrPacket, Frames, Inbox, Outbox};

/// One connection without its socket.
#[derive(Debug)]
pub struct Channel {
    /// What both sides agreed on.
    pub session: Session,
    /// Received bytes: the shell reads into it.
    pub inbox: Inbox,
    /// Bytes to send: the shell writes from it.
    pub outbox: Outbox,
    /// The layer between the two buffers and the shell, once a login has agreed on compression.
    frames: Option<Box<Frames>>,
    /// Packets that were received whole.
    n_packets: u64,
}

impl Channel {
    /// A channel over a fresh socket. `max_packet` limits the size of a packet the server may send.
    pub fn new(transport: Transport, max_packet: usize) -> Self {
        Self {
            session: Session::new(transport),
            inbox: Inbox::new(max_packet),
            outbox: Outbox::default(),
            frames: None,
            n_packets: 0,
        }
    }

    /// Room to read received bytes into; never empty. Call [`Channel::filled`] with how much of it was read.
    pub fn space(&mut self) -> &mut [u8] {
        match &mut self.frames {
            Some(frames) => frames.space(),
            None => self.inbox.space(),
        }
    }

    /// Records that the first `n` bytes of [`Channel::space`] now hold received bytes.
    pub fn filled(&mut self, n: usize) {
        match &mut self.frames {
            Some(frames) => frames.filled(n),
            None => self.inbox.filled(n),
        }
    }

    /// The bytes to send next; empty if there are none.
    pub fn unsent(&mut self) -> &[u8] {
        match &mut self.frames {
            Some(frames) => {
                frames.pack(&mut self.outbox);
                frames.unsent()
            }
            None => self.outbox.unsent(),
        }
    }

    /// Records that the first `n` bytes of [`Channel::unsent`] were sent.
    pub fn sent(&mut self, n: usize) {
        match &mut self.frames {
            Some(frames) => frames.sent(n),
            None => self.outbox.sent(n),
        }
    }

    /// Returns how many bytes are sure to arrive before anything else has to be done: a shell may wait until all of them are
    /// there. 0 means unknown.
    pub fn least_to_come(&self) -> usize {
        if self.frames.is_some() { 0 } else { self.session.least_to_come }
    }

    /// Whether something waits to be sent.
    pub fn has_unsent(&self) -> bool {
        !self.outbox.is_empty() || self.frames.as_ref().is_some_and(|frames| !frames.unsent().is_empty())
    }

    /// Starts a conversation. Fails, for good, if the last one was not finished.
    pub fn begin(&mut self) -> Result<()> {
        self.session.begin()
    }

    /// Passes the packets that have arrived to the conversation, and lets it refill an empty outbox.
    pub fn advance<C: Conversation>(&mut self, conversation: &mut C) -> Result<Step<C::Output>> {
        self.advance_by(conversation, usize::MAX).map(|(step, _)| step)
    }

    /// The same with at most one packet. Also returns whether there was one.
    #[inline]
    pub fn advance_one<C: Conversation>(&mut self, conversation: &mut C) -> Result<(Step<C::Output>, bool)> {
        self.advance_by(conversation, 1).map(|(step, n_packets)| (step, n_packets > 0))
    }

    /// How many packets were received whole so far.
    pub fn n_packets(&self) -> u64 {
        self.n_packets
    }

    // Once a row: inlined, it has the few steps of one packet alone.
    #[inline]
    fn advance_by<C: Conversation>(&mut self, conversation: &mut C, most: usize) -> Result<(Step<C::Output>, usize)> {
        let is_first = self.session.go_on()?;
        let mut n_packets = 0;
        let step = self.step(conversation, most, &mut n_packets);
        match &step {
            Ok(Step::More) => {}
            Ok(Step::StartTls) => {
                // Nothing the server sent in the clear may be read as if it had come through TLS.
                if !self.inbox.is_empty() {
                    self.session.kill();
                    return Err(Error::protocol("the server sent more before the TLS handshake"));
                }
            }
            Ok(Step::Done(_)) => {
                self.finish();
                self.agree().inspect_err(|_| self.session.kill())?;
            }
            // The server's refusal is a reply like any other: the exchange is over, and the connection is fine.
            Err(error) if error.kind() == Kind::Server && !error.is_fatal() => self.finish(),
            // A request that was refused on this side, before any byte of it was sent.
            Err(error) if is_first && !error.is_fatal() && self.outbox.is_empty() => self.finish(),
            Err(_) => self.session.kill(),
        }
        step.map(|step| (step, n_packets))
    }

    fn step<C: Conversation>(
        &mut self,
        conversation: &mut C,
        most: usize,
        n_packets: &mut usize,
    ) -> Result<Step<C::Output>> {
        while *n_packets < most {
            let Some(packet) = self.inbox.next_packet()? else { if self.unpack()? { continue } else { break } };
            *n_packets += 1;
            self.n_packets += 1;
            if let Err(out_of_turn) = self.outbox.take_turn(&packet) {
                // A server that closes an idle connection sends the reason without a request.
                return Err(match ErrPacket::parse(packet.body).map(Error::from) {
                    // The server has read nothing of what was sent meanwhile.
                    Ok(said) if said.is_fatal() && said.class() != Class::Lost => {
                        self.session.was_refused = true;
                        said
                    }
                    Ok(said) => said.fatal(),
                    Err(_) => out_of_turn,
                });
            }
            if let [0xFF, a, b, ..] = packet.body {
                self.session.refused(u16::from_le_bytes([*a, *b]));
            }
            match conversation.receive(packet.body, &mut self.session, &mut self.outbox)? {
                Step::More => {}
                end => return Ok(end),
            }
        }
        match self.outbox.is_empty() {
            true => conversation.send(&mut self.session, &mut self.outbox),
            false => Ok(Step::More),
        }
    }

    /// Unpacks from compressed frames as much as fits into the inbox. `Ok(false)`: nothing more has arrived.
    fn unpack(&mut self) -> Result<bool> {
        match &mut self.frames {
            Some(frames) => frames.unpack(&mut self.inbox),
            None => Ok(false),
        }
    }

    /// Starts compression if a login that just ended agreed on it.
    fn agree(&mut self) -> Result<()> {
        if self.frames.is_none() && self.session.compression() != Compression::None {
            self.frames = Frames::new(self.session.compression())?;
            self.outbox.take_any_turn();
        }
        Ok(())
    }

    fn finish(&mut self) {
        // Unexpected bytes would be read as the next command's reply. The exchange itself is complete.
        let has_more = self.frames.as_ref().is_some_and(|frames| !frames.has_nothing_received());
        if has_more || !self.inbox.is_empty() || !self.outbox.is_empty() {
            self.session.kill();
        }
        self.session.end();
    }
}

/// The limit on packet size where the caller sets none: a row of this size is possible with the server's own default.
pub const DEFAULT_MAX_PACKET: usize = 64 * 1024 * 1024;

#[cfg(test)]
mod tests;
