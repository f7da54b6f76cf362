// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.program;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.NameStore;
import dev.heddle.cluster.roster.NameStoreProvider;
import dev.heddle.cluster.roster.NameStoreProvider.Limits;
import dev.heddle.cluster.roster.NameStoreProvider.Setup;
import dev.heddle.cluster.roster.NodeDirectory;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.cluster.roster.VoterTransport;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One voter, in a JVM of its own. Packets, requests and answers go through its standard streams:
/// the test is the network. Arguments: the directory, the name of the node, those of all voters.
public final class VoterProgram implements VoterTransport, NameStore.Listener {
  public static final int PACKET = 1;
  public static final int SUBMIT = 2;
  public static final int STATE = 3;
  public static final int LEADS = 4;

  private static final Limits LIMITS =
      new Limits(Duration.ofMillis(500), Duration.ofMillis(500), Duration.ofSeconds(3), 60);

  private final DataOutputStream out; // this
  private volatile BiConsumer<String, byte[]> receiver = (_, _) -> {};
  private Roster roster = new Roster(); // under LOCK
  private final Object lock = new Object();

  private VoterProgram(DataOutputStream out) {
    this.out = out;
  }

  public static void main(String[] arguments) throws IOException {
    DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
    System.setOut(System.err); // nothing else may be written there
    VoterProgram program = new VoterProgram(out);
    List<String> all = List.of(arguments);
    NodeDirectory directory = NodeDirectory.open(Path.of(all.get(0)), all.get(1));
    NameStoreProvider provider =
        ServiceLoader.load(NameStoreProvider.class).findFirst().orElseThrow();
    NameStore store =
        provider.open(
            new Setup(
                Set.copyOf(all.subList(2, all.size())),
                directory,
                program,
                program,
                RosterCodec.RELEASE,
                LIMITS));
    try {
      program.read(new DataInputStream(new BufferedInputStream(System.in)), store);
    } finally {
      Runtime.getRuntime().halt(0); // its test has ended
    }
  }

  private void read(DataInputStream in, NameStore store) throws IOException {
    while (true) {
      int kind = in.readUnsignedByte();
      if (kind == PACKET) {
        String from = in.readUTF();
        receiver.accept(from, in.readNBytes(in.readInt()));
        continue;
      }
      long number = in.readLong();
      switch (kind) {
        case SUBMIT -> {
          Command command = RosterCodec.RELEASE.decodeCommand(in.readNBytes(in.readInt()));
          var _ =
              store
                  .submit(command)
                  .whenComplete((outcome, failure) -> answer(number, outcome, failure));
        }
        case STATE -> answer(number, state());
        case LEADS -> answer(number, new byte[] {(byte) (store.isLeader() ? 1 : 0)});
        default -> throw new IOException("request " + kind);
      }
    }
  }

  private void answer(long number, @Nullable Outcome outcome, @Nullable Throwable failure) {
    if (outcome != null) {
      answer(number, RosterCodec.RELEASE.encode(outcome));
    } else {
      write(SUBMIT, number, false, String.valueOf(failure).getBytes(StandardCharsets.UTF_8));
    }
  }

  private void answer(long number, byte[] content) {
    write(SUBMIT, number, true, content);
  }

  private synchronized void write(int kind, long number, boolean isGood, byte[] content) {
    try {
      out.writeByte(kind);
      out.writeLong(number);
      out.writeBoolean(isGood);
      out.writeInt(content.length);
      out.write(content);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public synchronized boolean send(String voter, byte[] packet) {
    try {
      out.writeByte(PACKET);
      out.writeUTF(voter);
      out.writeInt(packet.length);
      out.write(packet);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return true;
  }

  @Override
  public int logFormat(String voter) {
    return RosterCodec.RELEASE.formats().newest();
  }

  @Override
  public void receive(BiConsumer<String, byte[]> next) {
    receiver = next;
  }

  @Override
  public void onSessionEnd(Consumer<String> listener) {} // its test does not tell it

  @Override
  public void applied(Delta delta, Outcome outcome) {
    synchronized (lock) {
      if (!roster.follow(delta)) {
        throw new IllegalStateException("deltas are missing before " + delta);
      }
    }
  }

  @Override
  public void replaced(byte[] snapshot) {
    synchronized (lock) {
      roster = RosterCodec.RELEASE.restore(snapshot);
      roster.raise(RosterCodec.formatOf(snapshot)); // else it is unknown until the next command
    }
  }

  private byte[] state() {
    synchronized (lock) {
      return RosterCodec.RELEASE.snapshot(roster);
    }
  }
}
