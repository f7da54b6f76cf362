// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.programs;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/// What a program takes for random.
public final class Chances {
  private Chances() {}

  /// One value of each source.
  public static Map<String, Object> drawn() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("Math.random", Math.random());
    all.put("Random", new Random().nextLong());
    all.put("SplittableRandom", new SplittableRandom().nextLong());
    all.put("ThreadLocalRandom", ThreadLocalRandom.current().nextLong());
    byte[] bytes = new byte[11];
    new SecureRandom().nextBytes(bytes);
    all.put("SecureRandom", HexFormat.of().formatHex(bytes));
    all.put("SecureRandom.getSeed", HexFormat.of().formatHex(SecureRandom.getSeed(8)));
    all.put("generateSeed", HexFormat.of().formatHex(new SecureRandom().generateSeed(8)));
    all.put("UUID", UUID.randomUUID().toString());
    all.put("hashCode", new Object().hashCode());
    RandomGeneratorFactory.all()
        .filter(factory -> !factory.name().equals("SecureRandom"))
        .map(RandomGeneratorFactory::name)
        .sorted()
        .forEach(name -> all.put(name, RandomGenerator.of(name).nextLong()));
    return all;
  }

  /// What the orders of immutable collections consist of, each decided by a salt of the JVM.
  public static Map<String, Object> orders() {
    Map<String, Object> all = new LinkedHashMap<>();
    List<String> set = inOrder(Set.of("a", "b", "c", "d", "e", "f", "g", "h"));
    all.put("first of a set", set.getFirst());
    all.put("direction of a set", behind("a", set));
    List<String> map = inOrder(Map.of("a", 1, "b", 2, "c", 3, "d", 4, "e", 5).keySet());
    all.put("first of a map", map.getFirst());
    all.put("direction of a map", behind("a", map));
    all.put("direction of a pair", inOrder(Set.of("x", "y")));
    all.put("array of a pair", List.of(Set.of("x", "y").toArray()));
    return all;
  }

  private static List<String> inOrder(Set<String> set) {
    List<String> all = new ArrayList<>();
    for (String one : set) {
      all.add(one);
    }
    return all;
  }

  private static String behind(String one, List<String> circle) {
    return circle.get((circle.indexOf(one) + 1) % circle.size());
  }

  /// An order that a salt of the JVM decides.
  public static String orderOfSet() {
    return Set.of("a", "b", "c", "d", "e", "f", "g", "h").toString()
        + Map.of("a", 1, "b", 2, "c", 3, "d", 4)
        + Set.of("x", "y");
  }
}
