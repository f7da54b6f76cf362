// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.roster.LogFormats;
import dev.heddle.cluster.roster.UnknownFormatException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.SortedSet;
import java.util.TreeSet;

/// What a voter tells the others of itself until it takes part in the log; also what it keeps in
/// its directory.
///
/// As bytes it has the format of the log: on the disk the one in force, so a release that does not
/// know it refuses the directory before it opens the log. Another voter is told it in the newest
/// format that both know, or in the one in force if that is newer, which the other cannot read
/// then.
///
/// @param id of the voter: see [VoterId]
/// @param accepted the ids of the log that it would take part in; empty for none
/// @param started the ids of the log that it takes part in; empty for none. They name the log for
///   ever, also when other voters have taken the place of some of them
/// @param state whether it knows a leader
record VoterStatus(String id, SortedSet<String> accepted, SortedSet<String> started, State state) {
  enum State {
    /// asks the others for their status
    SEARCHES,
    /// tells its status when it is asked
    FOLLOWS
  }

  private static final int MAX_VOTERS = 64;

  VoterStatus {
    accepted = new TreeSet<>(accepted);
    started = new TreeSet<>(started);
  }

  /// The same in another state.
  VoterStatus at(State next) {
    return new VoterStatus(id, accepted, started, next);
  }

  byte[] encode(int format) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    try {
      out.writeByte(format);
      out.writeUTF(id);
      write(out, accepted);
      write(out, started);
      out.writeBoolean(state == State.FOLLOWS);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // an id of more than 64 KiB
    }
    return bytes.toByteArray();
  }

  /// @param known the formats that can be read; their contents are the same
  /// @throws IOException when these are not the bytes of a status
  static VoterStatus decode(byte[] bytes, LogFormats known) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    try {
      UnknownFormatException.check(in.readUnsignedByte(), known);
    } catch (UnknownFormatException e) {
      throw new IOException(e.getMessage(), e);
    }
    VoterStatus status =
        new VoterStatus(
            in.readUTF(), read(in), read(in), in.readBoolean() ? State.FOLLOWS : State.SEARCHES);
    if (in.available() > 0) {
      throw new IOException("%d bytes are left of a status".formatted(in.available()));
    }
    return status;
  }

  private static void write(DataOutputStream out, SortedSet<String> ids) throws IOException {
    out.writeByte(ids.size());
    for (String id : ids) {
      out.writeUTF(id);
    }
  }

  private static SortedSet<String> read(DataInputStream in) throws IOException {
    int count = in.readUnsignedByte();
    if (count > MAX_VOTERS) {
      throw new IOException("%d voters, at most %d can be".formatted(count, MAX_VOTERS));
    }
    SortedSet<String> ids = new TreeSet<>();
    for (int left = count; left > 0; left--) {
      ids.add(in.readUTF());
    }
    return ids;
  }
}
