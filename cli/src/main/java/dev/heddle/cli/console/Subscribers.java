// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import io.netty.channel.Channel;
import java.util.LinkedHashSet;
import java.util.Set;

/// The connections, and among them the pages that are told of each look. **Thread** the event
/// loop's.
final class Subscribers {
  private static final int MOST = 64; // connections

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

  /// A page, which first gets what it has missed.
  void add(Channel page) {
    pages.add(page);
    for (String event : programs.missed()) {
      var _ = page.write(RequestHandler.event(event));
    }
    var _ = page.writeAndFlush(RequestHandler.event(Recording.event("ready", "{}")));
    programs.pause(false);
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
