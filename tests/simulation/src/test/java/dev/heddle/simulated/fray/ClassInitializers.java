// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import dev.heddle.simulated.program.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.security.cert.X509CertSelector;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/// Programs in which the initializer of a class does something with threads.
///
/// A class is initialized once. So that every run has an initialization, it loads its class anew.
/// The new class has another loader, and sees only what is public of its neighbours.
public final class ClassInitializers {
  /// The lock that the initializer takes.
  public static final ReentrantLock LOCK = new ReentrantLock();

  private ClassInitializers() {}

  /// A class whose initializer takes a lock of another class.
  static final class LocksInInitializer {
    static {
      LOCK.lock();
      Thread.yield();
      LOCK.unlock();
    }

    LocksInInitializer() {}
  }

  static void lockInInitializer(Threads threads) throws Exception {
    threads.start(() -> {
      LOCK.lock();
      Thread.yield();
      LOCK.unlock();
    });
    initializeAnew(LocksInInitializer.class);
  }

  /// A class whose initializer starts a thread, which waits.
  static final class StartsInInitializer {
    static final Object MONITOR = new Object();
    static final CountDownLatch IN_MONITOR = new CountDownLatch(1);
    static final Thread WAITING = new Thread(StartsInInitializer::await);

    static {
      WAITING.start();
    }

    StartsInInitializer() throws InterruptedException {
      IN_MONITOR.await();
      synchronized (MONITOR) {
        MONITOR.notify();
      }
      WAITING.join();
    }

    private static void await() {
      synchronized (MONITOR) {
        IN_MONITOR.countDown();
        try {
          MONITOR.wait();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  static void startThread() throws Exception {
    initializeAnew(StartsInInitializer.class);
  }

  static void twoUseOneClass(Threads threads) {
    threads.start(2, X509CertSelector::new);
  }

  private static void initializeAnew(Class<?> known) throws ReflectiveOperationException {
    var constructor = new Anew(known).loadClass(known.getName()).getDeclaredConstructor();
    constructor.setAccessible(true);
    constructor.newInstance();
  }

  /// Defines one class of the program again. All other classes are those of the program.
  private static final class Anew extends ClassLoader {
    private final Class<?> known;

    Anew(Class<?> known) {
      super(known.getClassLoader());
      this.known = known;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      return name.equals(known.getName()) ? define(name) : super.loadClass(name, resolve);
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      String file = name.substring(name.lastIndexOf('.') + 1) + ".class";
      try (InputStream in = known.getResourceAsStream(file)) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
