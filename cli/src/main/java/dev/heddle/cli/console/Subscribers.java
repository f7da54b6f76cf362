// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import io.netty.channel.Channel;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// The connections, and among them the pages that are told of each look. **Thread** the event
/// loop's.
final class Subscribers {
  private static final int MOST = 64; // connections
  private static final long PING_SECONDS = 15;
  private static final int UNREAD_PINGS = 4; // in turn, until a page is hung up on

  private final Programs programs;
  private final Set<Channel> pages = new LinkedHashSet<>();
  private int connections;

  Subscribers(Programs programs) {
    this.programs = programs;
  }

  /// One more connection; returns whether it may stay.
  boolean connected() {
    return ++connections <= MOST;
  }

  void left(Channel channel) {
    connections--;
    if (pages.remove(channel) && pages.isEmpty()) {
      programs.pause(true);
    }
  }

  /// A page, which first gets what it has missed. One that is no longer there, as behind a network
  /// that was lost, is noticed by what it does not read: the programs would be looked at for it.
  void add(Channel page) {
    pages.add(page);
    for (String event : programs.missed()) {
      var _ = page.write(RequestHandler.event(event));
    }
    var _ = page.writeAndFlush(RequestHandler.event(Recording.event("ready", "{}")));
    programs.pause(false);
    var _ = page.eventLoop().schedule(() -> ping(page, 0), PING_SECONDS, TimeUnit.SECONDS);
  }

  private void ping(Channel page, int unreadBefore) {
    if (!pages.contains(page)) {
      return;
    }
    int unread = page.isWritable() ? 0 : unreadBefore + 1;
    if (unread == UNREAD_PINGS) {
      var _ = page.close();
      return;
    }
    if (unread == 0) {
      var _ = page.writeAndFlush(RequestHandler.event(": ping\n\n"));
    }
    var _ = page.eventLoop().schedule(() -> ping(page, unread), PING_SECONDS, TimeUnit.SECONDS);
  }

  /// An event for all pages; one that does not keep up gets a later look.
  void send(String event) {
    for (Channel page : pages) {
      if (page.isWritable() || !event.startsWith("event: look")) {
        var _ = page.writeAndFlush(RequestHandler.event(event));
      }
    }
  }
}
