// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.internal.Rethrow;
import dev.heddle.io.Terminal;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.thread.worker.BlockingFile;
import dev.heddle.thread.worker.BlockingFileDriver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// The controlling terminal.
public final class TerminalHandle extends BlockingHandle implements Terminal {
  private final TerminalModes modes;

  private TerminalHandle(CoroutineNode<?> self, BlockingFileDriver threads, Device device) {
    super(self, threads, device, "the terminal");
    this.modes = device.modes;
  }

  public static TerminalHandle open() {
    return open(
        "terminal",
        TerminalModes.DEVICE,
        Set.of(READ, WRITE),
        Device::open,
        _ -> {},
        (self, threads, file) -> new TerminalHandle(self, threads, (Device) file));
  }

  /// The device, whose initial modes are restored when it is closed.
  private record Device(ChannelStream stream, TerminalModes modes) implements BlockingFile {
    static Device open(FileOperation operation) throws IOException {
      ChannelStream stream;
      try {
        stream = ChannelStream.open(operation);
      } catch (IOException e) {
        throw new IOException(
            "this program has no terminal ("
                + e.getMessage()
                + "); start it from a terminal, for example with `ssh -t` or `docker run -it`",
            e);
      }
      try {
        return new Device(stream, TerminalModes.current());
      } catch (IOException | RuntimeException e) {
        stream.close();
        throw e;
      }
    }

    @Override
    public FileChannel channel(boolean writing) {
      return stream.channel(writing);
    }

    @Override
    public long perform(FileOperation operation) throws IOException {
      if (operation.kind() == FileOperation.Kind.CLOSE) {
        try {
          modes.restore();
        } finally {
          stream.close();
        }
        return 0;
      }
      return stream.perform(operation);
    }
  }

  // ---- modes ----

  @Override
  public Size size() throws IOException {
    String[] said =
        offload("the size of the terminal", () -> TerminalModes.stty("size")).split(" ");
    return new Size(Integer.parseInt(said[1]), Integer.parseInt(said[0]));
  }

  @Override
  public void raw() throws IOException {
    change("raw", "-echo");
  }

  private void change(String... to) throws IOException {
    offload(
        "the terminal's modes",
        () -> {
          modes.change(to);
          return "";
        });
  }

  @Override
  public void restore() throws IOException {
    try {
      self()
          .shielded(() ->
              offload(
                  "the terminal's modes",
                  () -> {
                    modes.restore();
                    return "";
                  }));
    } catch (Exception e) {
      throw Rethrow.unchecked(e);
    }
  }

  @Override
  public @Nullable String readPassword(String prompt) throws IOException {
    try {
      change("-echo");
      write(ByteBuffer.wrap(prompt.getBytes(StandardCharsets.UTF_8)));
      String password = readLine();
      write(ByteBuffer.wrap(new byte[] {'\n'}));
      return password;
    } finally {
      if (isOpen()) {
        restore();
      }
    }
  }

  private String offload(String what, Callable<String> call) throws IOException {
    CoroutineNode<?> self = self();
    return String.valueOf(LoopRuntime.of(self).blockingPools().paths().run(self, what, call));
  }
}
