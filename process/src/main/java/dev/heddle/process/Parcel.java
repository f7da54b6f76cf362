// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Several messages as one: sent at once, one event for the receiver, one message in its mailbox.
///
/// {@snippet class=dev.heddle.process.MessageSnippetsTest region=parcel}
///
/// @param topic what they are about; empty when there is no topic
/// @param messages the messages in their order
/// @since 0.1
public record Parcel(String topic, List<@Nullable Object> messages) {
  /// Copies the list.
  ///
  /// @throws NullPointerException when the list or the topic is null
  public Parcel {
    Objects.requireNonNull(topic, "topic");
    messages = Collections.unmodifiableList(new ArrayList<>(messages));
  }

  /// Messages about a topic.
  public static Parcel of(String topic, @Nullable Object... messages) {
    return new Parcel(topic, java.util.Arrays.asList(messages));
  }
}
