// SPDX-License-Identifier: Apache-2.0
// A project that uses Heddle as a library; the last block is what `heddle doctor` prints.
plugins { application }

repositories {
  maven { url = uri(providers.gradleProperty("heddle.repository").get()) }
  mavenCentral()
}

dependencies {
  implementation("dev.heddle:heddle-core:0.1.0-SNAPSHOT")
  testImplementation("org.junit.jupiter:junit-jupiter:6.1.3")
  testRuntimeOnly("org.junit.platform:junit-platform-launcher")
}

// The same program and tests as in ../maven.
sourceSets {
  main { java.srcDir("../maven/src/main/java") }
  test { java.srcDir("../maven/src/test/java") }
}

application { mainClass = "outside.Main" }

tasks.test { useJUnitPlatform() }

// doctor: gradle
tasks.withType<Test>().configureEach {
  jvmArgs("--add-opens", "java.base/java.lang=ALL-UNNAMED")
  jvmArgs("--enable-native-access=ALL-UNNAMED")
}
tasks.withType<JavaExec>().configureEach {
  jvmArgs("--add-opens", "java.base/java.lang=ALL-UNNAMED")
  jvmArgs("--enable-native-access=ALL-UNNAMED")
}
