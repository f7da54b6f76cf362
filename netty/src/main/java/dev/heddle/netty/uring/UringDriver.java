// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import dev.heddle.netty.handler.ChannelTypes;
import dev.heddle.netty.handler.EmbeddedHandle;
import dev.heddle.netty.handler.EmbeddedHandles;
import dev.heddle.netty.unix.SendBatch;
import dev.heddle.netty.unix.Transport;
import dev.heddle.netty.unix.UnixDriver;
import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.FileDriver;
import dev.heddle.reactor.driver.Support;
import io.netty.channel.IoHandle;
import io.netty.channel.uring.IoUringDatagramChannel;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The driver over io_uring, with one ring: all submissions of a turn go to the system in one call,
/// and Netty makes another call after completions. Neither is made per operation.
final class UringDriver extends UnixDriver {
  static final String NAME = "io_uring";
  private static final int RING = 1_024; // submissions; more in one turn need another call
  private static final int COMPLETIONS = 16_384; // edges at once; more: a warning by Netty
  private static final boolean FILES = RingFiles.isSupported();
  private static final Transport TRANSPORT =
      new Transport(
          NAME,
          new ChannelTypes(
              IoUringIoHandler.class,
              IoUringIoHandle.class,
              IoUringSocketChannel.class,
              IoUringServerSocketChannel.class,
              IoUringDatagramChannel.class),
          Transport.servingLinux(
              Support.natively("a multishot poll on the ring, direct system calls"),
              FILES ? servingFiles() : Map.of()),
          false);

  // loop only; created when the first file is opened
  private @Nullable RingFiles files;

  private static Map<Capability, Support> servingFiles() {
    return Map.of(
        Capability.FILE,
        Support.natively(
            "each operation goes to the ring; worker threads of the loop take locks and open what"
                + " open(2) has no flags for"),
        Capability.SENDFILE,
        Transport.sendingFiles());
  }

  UringDriver(DriverHost host) {
    super(
        host,
        RingHandler.factory(new IoUringIoHandlerConfig().setRingSize(RING).setCqSize(COMPLETIONS)),
        TRANSPORT,
        UringRegistration::new,
        SendBatch.ofProperty());
  }

  @Override
  public boolean wouldOnlyRepeat() {
    return false; // each completion is reported once
  }

  @Override
  public EmbeddedHandle wrap(EmbeddedHandles home, IoHandle handle) {
    RingHandler ring = (RingHandler) handler().open();
    return new UringEmbeddedHandle(home, (IoUringIoHandle) handle, ring);
  }

  // ---- files ----

  @Override
  public @Nullable FileDriver files() {
    if (files == null && FILES) {
      files = new RingFiles(counts(), this::wakeup);
    }
    return files;
  }

  @Override
  protected boolean begin() {
    RingFiles f = files;
    if (f == null || !f.hasPending()) {
      return false;
    }
    try {
      return f.begin(handler().open());
    } catch (IOException e) {
      f.failAll(e);
    } catch (RuntimeException e) {
      // Netty's exception when no descriptor or memory is left
      f.failAll(new IOException("the driver " + NAME + " has no ring: " + e.getMessage(), e));
    }
    return false;
  }

  @Override
  protected boolean isWorking() {
    return files != null && files.isWorking();
  }

  @Override
  protected void finish() {
    RingFiles f = files;
    if (f == null) {
      return;
    }
    f.beginToClose();
    turnUntil(() -> !f.isWorking());
    int left = f.finish();
    if (left > 0) {
      String what = " file operations that did not end; their buffers are never freed";
      AsyncLog.shared().warning("the driver " + NAME + " leaves " + left + what, null);
    }
  }
}
