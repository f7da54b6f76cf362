// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.ratis.VoterStatus.State;
import dev.heddle.cluster.roster.LogFormats;
import dev.heddle.cluster.roster.VoterTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// The other voters of one voter, played by a test: it says what they tell, and sees what they are
/// told, together with what the voter had on its disk then.
final class OneVoter implements VoterTransport {
  /// @param disk what was on the disk at that moment; an empty status for nothing
  record Told(VoterStatus status, VoterStatus disk) {}

  private final Path file;
  private final BlockingQueue<Told> told = new LinkedBlockingQueue<>();
  private volatile BiConsumer<String, byte[]> receiver = (_, _) -> {};

  OneVoter(Path directory) {
    this.file = directory.resolve("voter");
  }

  /// Another voter tells its status.
  void tell(String id, SortedSet<String> accepted, SortedSet<String> started) {
    byte[] body =
        new VoterStatus(id, accepted, started, State.SEARCHES).encode(LogFormats.RELEASE.newest());
    byte[] packet = ByteBuffer.allocate(9 + body.length).put((byte) 7).putLong(0).put(body).array();
    receiver.accept(VoterId.node(id), packet);
  }

  /// The next status that the voter tells.
  Told next() throws InterruptedException {
    Told next = told.poll(60, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError("the voter tells nothing");
    }
    return next;
  }

  private VoterStatus disk() {
    try {
      return Files.exists(file)
          ? VoterStatus.decode(Files.readAllBytes(file), LogFormats.RELEASE)
          : new VoterStatus("", new TreeSet<>(), new TreeSet<>(), State.SEARCHES);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean send(String voter, byte[] packet) {
    if (packet[0] == VoterCalls.STATUS) {
      try {
        byte[] body = java.util.Arrays.copyOfRange(packet, 9, packet.length);
        told.add(new Told(VoterStatus.decode(body, LogFormats.RELEASE), disk()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return true;
  }

  @Override
  public int logFormat(String voter) {
    return LogFormats.RELEASE.newest();
  }

  @Override
  public void receive(BiConsumer<String, byte[]> to) {
    receiver = to;
  }

  @Override
  public void onSessionEnd(Consumer<String> listener) {} // none ends
}
