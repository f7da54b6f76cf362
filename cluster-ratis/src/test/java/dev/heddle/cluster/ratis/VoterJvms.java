// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.program.VoterProgram;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.RosterCodec;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// Voters in JVMs of their own, which are killed and stopped by signals. Their network is this
/// class.
final class VoterJvms implements GateVoters {
  private final Path root;
  private final List<String> options;
  private final MemoryNetwork network = new MemoryNetwork();
  private final Map<String, Child> children = new ConcurrentSkipListMap<>();

  private interface Writer {
    void write(DataOutputStream out) throws IOException;
  }

  private final class Child {
    private final String node;
    private final java.lang.Process process;
    private final MemoryNetwork.Endpoint endpoint;
    private final BlockingQueue<byte[]> next = new LinkedBlockingQueue<>();
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, CompletableFuture<byte[]>> open = new ConcurrentHashMap<>();

    Child(String node) throws IOException {
      this.node = node;
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(options);
      command.addAll(List.of(VoterProgram.class.getName(), root.resolve(node).toString(), node));
      command.addAll(names());
      Path log = root.resolve(node + ".err");
      process =
          new ProcessBuilder(command)
              .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
      endpoint = network.open(node);
      endpoint.receive(this::packet);
      Thread.ofPlatform().daemon().start(this::write);
      Thread.ofPlatform().daemon().start(this::read);
    }

    private void packet(String from, byte[] packet) {
      say(out -> {
        out.writeByte(VoterProgram.PACKET);
        out.writeUTF(from);
        out.writeInt(packet.length);
        out.write(packet);
      });
    }

    private void say(Writer writer) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try {
        writer.write(new DataOutputStream(bytes));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
      next.add(bytes.toByteArray());
    }

    CompletableFuture<byte[]> ask(int kind, byte[] content) {
      long number = numbers.incrementAndGet();
      CompletableFuture<byte[]> answer = new CompletableFuture<>();
      open.put(number, answer);
      say(out -> {
        out.writeByte(kind);
        out.writeLong(number);
        if (kind == VoterProgram.SUBMIT) {
          out.writeInt(content.length);
          out.write(content);
        }
      });
      if (!process.isAlive()) {
        answer.completeExceptionally(new IOException(node + " has ended"));
      }
      return answer;
    }

    private void write() {
      try (DataOutputStream out =
          new DataOutputStream(new BufferedOutputStream(process.getOutputStream()))) {
        while (process.isAlive()) {
          byte[] bytes = next.poll(1, TimeUnit.SECONDS);
          if (bytes != null) {
            out.write(bytes);
            out.flush();
          }
        }
      } catch (IOException | InterruptedException _) {
        // safe: it was killed
      }
    }

    private void read() {
      try (DataInputStream in =
          new DataInputStream(new BufferedInputStream(process.getInputStream()))) {
        while (true) {
          int kind = in.readUnsignedByte();
          if (kind == VoterProgram.PACKET) {
            String to = in.readUTF();
            endpoint.send(to, in.readNBytes(in.readInt()));
          } else {
            answered(in);
          }
        }
      } catch (IOException e) {
        open.values().forEach(each -> each.completeExceptionally(e));
      }
    }

    private void answered(DataInputStream in) throws IOException {
      CompletableFuture<byte[]> answer = open.remove(in.readLong());
      boolean isGood = in.readBoolean();
      byte[] content = in.readNBytes(in.readInt());
      if (isGood) {
        answer.complete(content);
      } else {
        answer.completeExceptionally(new IOException(new String(content, StandardCharsets.UTF_8)));
      }
    }

    void signal(String name) throws IOException, InterruptedException {
      var kill =
          new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).inheritIO().start();
      if (kill.waitFor() != 0) {
        throw new IOException("kill -" + name + " " + process.pid() + " failed");
      }
    }

    /// Of its threads.
    String stacks() {
      String program = Path.of(System.getProperty("java.home"), "bin", "jstack").toString();
      try {
        java.lang.Process jstack =
            new ProcessBuilder(program, "" + process.pid()).redirectErrorStream(true).start();
        return new String(jstack.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        return e.toString();
      }
    }

    void kill() {
      network.end(node);
      process.destroyForcibly().onExit().join();
    }
  }

  /// @param options of the JVMs, the class path among them
  VoterJvms(Path root, List<String> options) throws IOException {
    this.root = root;
    this.options = options;
    for (String name : names()) {
      start(name);
    }
  }

  @Override
  public List<String> names() {
    return List.of("a", "b", "c");
  }

  private CompletableFuture<byte[]> ask(String voter, int kind, byte[] content) {
    Child child = children.get(voter);
    if (child != null && !child.process.isAlive() && children.get(voter) == child) {
      throw new AssertionError(voter + " has ended by itself: " + errors());
    }
    return child == null
        ? CompletableFuture.failedFuture(new IOException(voter + " does not run"))
        : child.ask(kind, content);
  }

  @Override
  public CompletableFuture<Outcome> submit(String voter, Command command) {
    return ask(voter, VoterProgram.SUBMIT, RosterCodec.RELEASE.encode(command))
        .thenApply(RosterCodec.RELEASE::decodeOutcome);
  }

  @Override
  public boolean leads(String voter) throws Exception {
    return ask(voter, VoterProgram.LEADS, new byte[0]).get(60, TimeUnit.SECONDS)[0] == 1;
  }

  @Override
  public byte[] state(String voter) throws Exception {
    return ask(voter, VoterProgram.STATE, new byte[0]).get(60, TimeUnit.SECONDS);
  }

  @Override
  public void isolate(String voter) {
    network.cutOff(voter);
  }

  @Override
  public void heal() {
    network.heal();
  }

  @Override
  public void kill(String voter) {
    children.remove(voter).kill();
  }

  @Override
  public void start(String voter) throws IOException {
    children.put(voter, new Child(voter));
  }

  @Override
  public boolean pause(String voter) throws IOException, InterruptedException {
    children.get(voter).signal("STOP");
    return true;
  }

  @Override
  public void resume(String voter) throws IOException, InterruptedException {
    children.get(voter).signal("CONT");
  }

  @Override
  public String describe() {
    StringBuilder all = new StringBuilder(errors());
    children.forEach((name, child) -> all.append(name).append(":\n").append(child.stacks()));
    return all.toString();
  }

  /// What the voters have written to their standard error streams.
  String errors() {
    StringBuilder all = new StringBuilder();
    try {
      for (String name : names()) {
        Path log = root.resolve(name + ".err");
        all.append(Files.exists(log) ? Files.readString(log) : "");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all.toString();
  }

  @Override
  public void close() {
    children.values().forEach(Child::kill);
    network.close();
  }
}
