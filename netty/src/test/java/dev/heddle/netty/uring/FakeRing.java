// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import io.netty.channel.IoHandle;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoOps;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A ring whose completions are made by the test: as slow and as mean as a kernel may be.
final class FakeRing extends StandInHandler {
  /// What was handed over and not answered, in order.
  final List<Entry> entries = new ArrayList<>();

  private RingFiles files;

  /// What can be seen of a submission.
  record Entry(int opcode, int flags, short slot) {
    private static final Pattern TEXT =
        Pattern.compile(".*opcode=(-?\\d+), flags=(-?\\d+).* (?:data|userData)=(-?\\d+).*");

    static Entry of(IoUringIoOps ops) {
      Matcher text = TEXT.matcher(ops.toString());
      if (!text.matches()) {
        throw new IllegalStateException("Netty says it in other words now: " + ops);
      }
      return new Entry(
          Integer.parseInt(text.group(1)),
          Integer.parseInt(text.group(2)),
          Short.parseShort(text.group(3)));
    }
  }

  /// Answers the oldest.
  void complete(int result) {
    Entry e = entries.removeFirst();
    files.handle(this, new IoUringIoEvent(result, 0, (byte) e.opcode(), (long) e.slot()));
  }

  @Override
  public IoRegistration register(IoHandle handle) {
    files = (RingFiles) handle;
    return this;
  }

  @Override
  public long submit(IoOps ops) {
    entries.add(Entry.of((IoUringIoOps) ops));
    return entries.size();
  }
}
