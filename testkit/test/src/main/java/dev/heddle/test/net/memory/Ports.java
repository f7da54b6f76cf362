// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The ports of one protocol on one host, and who has them.
///
/// **Thread** that of the loop whose turn it is.
final class Ports {
  private static final int FIRST = 32_768; // Linux's range for ports that the system chooses
  private static final int LAST = 60_999;

  private final Map<Integer, List<Claim>> claims = new HashMap<>();
  private int next = FIRST;

  private record Claim(InetAddress address, Object owner) {
    boolean overlaps(InetAddress other) {
      return address.isAnyLocalAddress() || other.isAnyLocalAddress() || address.equals(other);
    }

    boolean receives(InetAddress destination) {
      return address.isAnyLocalAddress() || address.equals(destination);
    }
  }

  /// Takes a port.
  ///
  /// @param wanted with port 0: any that is free
  /// @return the address with the port that was taken
  /// @throws BindException when another has it, or none is free
  InetSocketAddress claim(InetSocketAddress wanted, Object owner) throws BindException {
    int port = wanted.getPort() == 0 ? free(wanted.getAddress()) : wanted.getPort();
    if (isTaken(wanted.getAddress(), port)) {
      throw new BindException("Address already in use");
    }
    claims.computeIfAbsent(port, _ -> new ArrayList<>()).add(new Claim(wanted.getAddress(), owner));
    return new InetSocketAddress(wanted.getAddress(), port);
  }

  private int free(InetAddress address) throws BindException {
    for (int tried = FIRST; tried <= LAST; tried++) {
      int port = next;
      next = next == LAST ? FIRST : next + 1;
      if (!isTaken(address, port)) {
        return port;
      }
    }
    throw new BindException("Address already in use");
  }

  private boolean isTaken(InetAddress address, int port) {
    return claims.getOrDefault(port, List.of()).stream().anyMatch(c -> c.overlaps(address));
  }

  /// Gives a port that was just taken to its owner.
  void transfer(InetSocketAddress taken, Object to) {
    List<Claim> list = claims.getOrDefault(taken.getPort(), List.of());
    list.replaceAll(c -> c.address.equals(taken.getAddress()) ? new Claim(c.address, to) : c);
  }

  /// Who receives what is sent to an address; an exact address goes before a wildcard.
  @Nullable Object ownerOf(InetSocketAddress destination) {
    Object found = null;
    for (Claim claim : claims.getOrDefault(destination.getPort(), List.of())) {
      if (claim.receives(destination.getAddress())
          && (found == null || !claim.address.isAnyLocalAddress())) {
        found = claim.owner;
      }
    }
    return found;
  }

  /// The same as a list, of none or one.
  List<Object> receiversOf(InetSocketAddress destination) {
    Object owner = ownerOf(destination);
    return owner == null ? List.of() : List.of(owner);
  }

  /// All who have a port.
  List<Object> ownersOf(int port) {
    return claims.getOrDefault(port, List.of()).stream().map(Claim::owner).toList();
  }

  /// All who have any port, in the order of ports.
  List<Object> owners() {
    return claims.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .flatMap(entry -> entry.getValue().stream().map(Claim::owner))
        .toList();
  }

  void release(Object owner) {
    claims.values().forEach(list -> list.removeIf(claim -> claim.owner == owner));
    claims.values().removeIf(List::isEmpty);
  }

  void clear() {
    claims.clear();
  }
}
