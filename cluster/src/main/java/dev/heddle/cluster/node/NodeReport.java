// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// What a node tells the others of itself, within their sessions: how much it has to do, which
/// nodes it is in session with, whether it leads the log of names, and how many entities it runs.
///
/// @param load how much it has to do
/// @param sees the names of the nodes in session with it
/// @param isLeader whether it leads the log of names
/// @param entities that run there
record NodeReport(NodeLoad load, Set<String> sees, boolean isLeader, int entities) {
  /// The name of its [dev.heddle.cluster.wire.Frame.Service]. A release that does not know it
  /// ignores it.
  static final String SERVICE = "report";

  private static final int FORMAT = 1;
  private static final int MOST = 4_096; // names: more are in no cluster

  NodeReport {
    sees = Set.copyOf(sees);
  }

  byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    try {
      out.writeByte(FORMAT);
      out.writeInt(load.workers());
      out.writeInt(load.ready());
      out.writeInt(load.processes());
      out.writeInt(sees.size());
      for (String name : new TreeSet<>(sees)) {
        out.writeUTF(name);
      }
      out.writeBoolean(isLeader);
      out.writeInt(entities);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // names have at most 1 KiB
    }
    return bytes.toByteArray();
  }

  /// What follows the known part is ignored: a later release may add to it. The last parts may be
  /// missing: an earlier release does not tell them.
  ///
  /// @throws IOException when it is of another format, or malformed
  static NodeReport decode(byte[] content) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
    int format = in.readUnsignedByte();
    if (format != FORMAT) {
      throw new IOException("format " + format + " of a report is unknown, not " + FORMAT);
    }
    int workers = in.readInt();
    int ready = in.readInt();
    int processes = in.readInt();
    int count = in.readInt();
    if (workers < 1 || ready < 0 || processes < 0 || count < 0 || count > MOST) {
      throw new IOException(
          "no report: " + List.of(workers, ready, processes, count) + ", the last of names");
    }
    Set<String> sees = new TreeSet<>();
    for (int i = 0; i < count; i++) {
      sees.add(in.readUTF());
    }
    boolean isLeader = in.available() > 0 && in.readBoolean();
    int entities = in.available() > 0 ? in.readInt() : 0;
    return new NodeReport(new NodeLoad(workers, ready, processes), sees, isLeader, entities);
  }
}
