//! Texts of a few words in many encodings: a reading that is taken is right, and the right one is among those that are shown.

use super::*;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny)
}

fn asked(bytes: &[u8]) -> String {
    question("x.csv", bytes, guess(bytes)).unwrap_or_default()
}

#[track_caller]
fn check(text: &str, encoding: &'static Encoding, want: &str) {
    let asked = asked(&encoding.encode(text).0);
    assert!(asked.contains(want) && asked.is_empty() == want.is_empty(), "{text}: {asked}");
}

#[test]
fn one_reading_is_no_question() {
    check("id,name\n1,Jörg Müller\n2,Käse\n", WINDOWS_1252, "");
    check("id,name\n1,Börb\n", WINDOWS_1252, "");
}

#[test]
fn several_readings_are() {
    check("id,city\n1,東京\n2,大阪\n", SHIFT_JIS, "`--encoding shift_jis` reads `1,東京`");
    check("id,name\n1,Dvořák\n", WINDOWS_1250, "`--encoding windows-1250` reads `1,Dvořák`");
    check("id,name\n1,España\n", WINDOWS_1252, "`--encoding windows-1252` reads `1,España`");
}

#[test]
fn code_pages_of_dos() {
    let dos = asked(b"id,name\n1,J\x94rg\n2,M\x81ller\n");
    assert!(dos.contains("`iconv -f CP850 -t UTF-8 x.csv | inrush load - ..` reads `1,Jörg`"), "{dos}");
    assert_eq!((CP850.chars().count(), CP437.chars().count()), (128, 128));
}

/// Files of a few words of each language: without a question the guess is right, and a question shows the true text.
#[test]
fn a_few_words_of_every_language() {
    let mut state = 7_u64;
    let mut dice = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let (mut n_asked, mut n_sure) = (0, 0);
    for (encoding, words) in LANGUAGES {
        let words: Vec<&str> = words.split(' ').collect();
        for round in 0..60 {
            let rows = (0..=dice(1 + round)).map(|i| format!("{i},{}\n", words[dice(words.len())]));
            let text = std::iter::once("id,name\n".to_owned()).chain(rows).collect::<String>();
            let bytes = encoding.encode(&text).0;
            if bytes.is_ascii() {
                continue;
            }
            let guess = guess(&bytes);
            match question("x", &bytes, guess) {
                None => {
                    assert_eq!(guess.decode_without_bom_handling(&bytes).0, text, "{}", guess.name());
                    n_sure += 1;
                }
                Some(asked) => {
                    assert!(asked.contains(&format!("reads `{}`", shown(&text))), "{text}: {asked}");
                    n_asked += 1;
                }
            }
        }
    }
    assert!(n_asked > 300 && n_sure > 100, "{n_asked} {n_sure}");
}

/// Words with letters beyond ASCII, and the encoding that old files of the language have.
const LANGUAGES: &[(&Encoding, &str)] = &[
    (
        WINDOWS_1252,
        "Müller Jörg Käse Straße München Köln Bäcker Schröder Größe Übung Äpfel Öl für über schön Mädchen Brücke Füße Düsseldorf Würzburg Günther Böhm Weiß Grüße Tür Fräulein Lübeck Nürnberg",
    ),
    (
        WINDOWS_1252,
        "été élève français Noël garçon château Hélène François Génève où à côté forêt hôtel père mère déjà crème Besançon Orléans naïve août Zoë Élodie événement théâtre Benoît règle",
    ),
    (
        WINDOWS_1252,
        "España niño mañana Málaga José Bogotá Ñuñoa corazón María Muñoz Peña Cádiz León Gómez Pérez Sánchez Íñigo pingüino año señor camión Andrés Martín Ramón Díaz Núñez Óscar",
    ),
    (
        WINDOWS_1252,
        "São Paulo João coração Brasília informação avó irmã pão Conceição Gonçalves Luís ação não três você Goiânia Ceará Maranhão Estêvão maçã bênção",
    ),
    (
        WINDOWS_1252,
        "Malmö Göteborg Åsa Björn Västerås räksmörgås Örebro kött smör fågel Åke Håkan Linköping Östersund sjö hår småland Jönköping Luleå Umeå",
    ),
    (
        WINDOWS_1250,
        "Łódź Kraków Wałęsa źródło żółty Gdańsk Poznań Wrocław ćma Śląsk pięć mąż Jędrzej Michał święta łąka dłoń Żuk Rzeszów Toruń wieś też jeść Zielińska Dąbrowski",
    ),
    (
        WINDOWS_1250,
        "Dvořák Šárka Žižka příliš žluťoučký kůň úpěl ďábelské ódy Plzeň Jiří Tomáš Břeclav Třebíč město děkuji Čech Novák Černý Růžička Němec Kučera řeka říjen květen září",
    ),
    (
        WINDOWS_1250,
        "Győr Szőke Kovács Erdős Pécs Gábor László hűvös tükörfúrógép Tóth Nagykőrös István időjárás Kőszeg erő nő bőr fűtő Zoltán Ágnes Éva Horváth Szűcs",
    ),
    (
        WINDOWS_1254,
        "İstanbul Şişli Ağrı Diyarbakır Güneş çağrı öğretmen Eskişehir Çanakkale Muğla ışık kış Yıldız Şahin Özgür Uğur Bağcılar sığır dağ Gümüşhane",
    ),
    (
        WINDOWS_1257,
        "Vilnius Šiauliai Panevėžys Jonušas ąžuolas Žemaitija Klaipėda mėnuo šuo žmogus Kęstutis Rūta Jūratė ačiū gražus Šakiai Ukmergė",
    ),
    (
        WINDOWS_1251,
        "Привет Москва Иванов Санкт Петербург Новосибирск Екатеринбург Казань Мария Сергей Ольга Дмитрий Смирнов Кузнецов Анна улица город Россия",
    ),
    (
        KOI8_R,
        "Привет Москва Иванов Санкт Петербург Новосибирск Екатеринбург Казань Мария Сергей Ольга Дмитрий Смирнов Кузнецов Анна улица город Россия",
    ),
    (
        IBM866,
        "Привет Москва Иванов Санкт Петербург Новосибирск Екатеринбург Казань Мария Сергей Ольга Дмитрий Смирнов Кузнецов Анна улица город Россия",
    ),
    (WINDOWS_1253, "Αθήνα Θεσσαλονίκη Γιώργος Μαρία Νίκος Πάτρα Ηράκλειο Παπαδόπουλος δρόμος πόλη Ελένη Δημήτρης"),
    (WINDOWS_1255, "שלום ירושלים תל אביב חיפה דוד משה רחל לאה כהן לוי באר שבע"),
    (WINDOWS_1256, "القاهرة محمد أحمد فاطمة دمشق بغداد بيروت الرياض علي حسن مريم"),
    (WINDOWS_874, "กรุงเทพ เชียงใหม่ ภูเก็ต สมชาย สมหญิง ประเทศไทย ถนน"),
    (
        SHIFT_JIS,
        "東京 大阪 京都 札幌 福岡 山田太郎 鈴木 佐藤花子 ひらがな カタカナ 名古屋 横浜 神戸 日本語 テスト 会社 東京都 田中",
    ),
    (
        EUC_JP,
        "東京 大阪 京都 札幌 福岡 山田太郎 鈴木 佐藤花子 ひらがな カタカナ 名古屋 横浜 神戸 日本語 テスト 会社 東京都 田中",
    ),
    (GBK, "北京 上海 广州 深圳 张伟 王芳 李娜 刘洋 中国 杭州 南京 武汉 成都 重庆 西安 姓名 地址"),
    (BIG5, "臺北 高雄 臺中 陳怡君 林志明 張淑芬 中華民國 新竹 臺南 姓名 地址 電話"),
    (EUC_KR, "서울 부산 대구 인천 광주 김민수 이영희 박지성 대한민국 이름 주소 전화"),
];
