// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/// The options of a socket. Of these, the sizes of the buffers and the linger time have an effect;
/// the others are only kept.
final class OptionValues {
  private final Map<SocketOption<?>, Object> values = new LinkedHashMap<>();

  private OptionValues(Map<SocketOption<?>, Object> defaults) {
    values.putAll(defaults);
  }

  static OptionValues ofTcp() {
    return new OptionValues(
        Map.of(
            StandardSocketOptions.SO_SNDBUF,
            64 << 10,
            StandardSocketOptions.SO_RCVBUF,
            128 << 10,
            StandardSocketOptions.SO_KEEPALIVE,
            false,
            StandardSocketOptions.SO_REUSEADDR,
            false,
            StandardSocketOptions.SO_REUSEPORT,
            false,
            StandardSocketOptions.SO_LINGER,
            -1,
            StandardSocketOptions.TCP_NODELAY,
            false,
            StandardSocketOptions.IP_TOS,
            0));
  }

  static OptionValues ofListener() {
    return new OptionValues(
        Map.of(
            StandardSocketOptions.SO_RCVBUF, 128 << 10,
            StandardSocketOptions.SO_REUSEADDR, true,
            StandardSocketOptions.SO_REUSEPORT, false));
  }

  static OptionValues ofUnix() {
    return new OptionValues(
        Map.of(
            StandardSocketOptions.SO_SNDBUF, 64 << 10,
            StandardSocketOptions.SO_RCVBUF, 128 << 10,
            StandardSocketOptions.SO_LINGER, -1));
  }

  static OptionValues ofUdp() {
    return new OptionValues(
        Map.of(
            StandardSocketOptions.SO_SNDBUF,
            212_992,
            StandardSocketOptions.SO_RCVBUF,
            212_992,
            StandardSocketOptions.SO_REUSEADDR,
            false,
            StandardSocketOptions.SO_REUSEPORT,
            false,
            StandardSocketOptions.SO_BROADCAST,
            false,
            StandardSocketOptions.IP_TOS,
            0,
            StandardSocketOptions.IP_MULTICAST_TTL,
            1,
            StandardSocketOptions.IP_MULTICAST_LOOP,
            true));
  }

  <T> void set(SocketDescriptorState socket, SocketOption<T> option, T value) throws IOException {
    Objects.requireNonNull(value, "value");
    check(socket, option);
    values.put(option, value);
  }

  <T> T get(SocketDescriptorState socket, SocketOption<T> option) throws IOException {
    check(socket, option);
    return option.type().cast(Objects.requireNonNull(values.get(option), option::name));
  }

  /// Whether the socket is closed, to refuse its options.
  @FunctionalInterface
  interface SocketDescriptorState {
    boolean isClosed();
  }

  private void check(SocketDescriptorState socket, SocketOption<?> option) throws IOException {
    Objects.requireNonNull(option, "option");
    if (socket.isClosed()) {
      throw new ClosedChannelException();
    }
    if (!values.containsKey(option) && option != StandardSocketOptions.IP_MULTICAST_IF) {
      throw new UnsupportedOperationException("'" + option + "' not supported");
    }
  }

  int bytes(SocketOption<Integer> option, int otherwise) {
    return values.get(option) instanceof Integer bytes && bytes > 0 ? bytes : otherwise;
  }

  boolean isLingerZero() {
    return values.get(StandardSocketOptions.SO_LINGER) instanceof Integer seconds && seconds == 0;
  }
}
